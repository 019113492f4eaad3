import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Row } from './report.ts'

/** The figures that one measure gave when it was last written down. */
export interface Section {
  measure: string
  /** The day, as 2026-11-23. */
  measuredOn: string
  /** Seconds that the fixed computation took right before: how fast the machine was just then. */
  speedSeconds: number
  rows: Row[]
}

/** The figures that are written down, of a processor in a number of cores and so on. */
export interface Kept {
  machine: Record<string, string | number>
  sections: Section[]
}

/** The figures of a file as `keep` writes it; none when there is no such file. */
export const readKept = (file: string): Kept =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : { machine: {}, sections: [] }

/** The sections with new ones in the place of those of the same measures, in the order of `measures`. Others are gone. */
export function merged(former: readonly Section[], now: readonly Section[], measures: readonly string[]): Section[] {
  const of = new Map([...former, ...now].map((section) => [section.measure, section]))
  return measures.flatMap((measure) => of.get(measure) ?? [])
}

/** Writes the figures so that a later run of some measures can replace theirs. */
export const keep = (file: string, kept: Kept): void => writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`)
