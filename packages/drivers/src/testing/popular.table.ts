import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { versions } from './versions.ts'

/** A popular contributed module, and what came of it on each version of Node-RED: `works`, or the faults. */
const Tried = z.object({ module: z.string(), version: z.string(), outcomes: z.record(z.enum(versions), z.string()) })
export type Tried = z.infer<typeof Tried>

const data = join(import.meta.dirname, 'popular.modules.json')
const page = join(import.meta.dirname, '../../../../docs/modules.md')
const head = '| module | version | Node-RED'

/** The modules of Node-RED that people use most, as they were tried last. */
export const readPopular = (): Tried[] => z.array(Tried).parse(JSON.parse(readFileSync(data, 'utf8')))

/** The table of the handbook. */
export function popularTable(tried: readonly Tried[]): string {
  const rows = tried.map(({ module, version, outcomes }) => [module, version, ...versions.map((one) => outcomes[one])])
  const lines = [['module', 'version', ...versions.map((one) => `Node-RED ${one}`)], ...rows]
  const [title, ...rest] = lines.map(
    (cells) => `|${cells.map((cell) => (cell === '' ? '  ' : ` ${cell} `)).join('|')}|\n`,
  )
  return `${title}|---|---|---|---|\n${rest.join('')}`
}

/** The table as the page has it; it is the end of the page. */
export function writtenTable(): string {
  const text = readFileSync(page, 'utf8')
  return text.slice(text.indexOf(head))
}

/** Keeps what was tried, here and in the handbook. */
export function writePopular(tried: readonly Tried[]): void {
  const text = readFileSync(page, 'utf8')
  writeFileSync(data, `${JSON.stringify(tried, undefined, 2)}\n`)
  writeFileSync(page, text.slice(0, text.indexOf(head)) + popularTable(tried))
}
