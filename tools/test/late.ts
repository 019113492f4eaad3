import type { Outcome } from '../check/steps.ts'

/**
 * A CI run that is cut off after an hour and a half shows nothing at all. The installation before this is not counted,
 * and a long step may take a few minutes more than its share.
 */
const limitMinutes = 82
/** A long step takes so many times what everything before `node-red` took, on any machine. */
const shares = { 'node-red': 1, journeys: 1.85 }

const minutes = () => process.uptime() / 60
const isCi = () => Boolean(process.env.CI)

/** Minutes after which a slow CI run leaves out what can be left out. */
const latestMinutes = 65

/** The sentence for a part that is left out. */
export const leftOut = (why: string): Outcome => ({ ok: true, output: '', note: `left out: ${why}` })

/** Does the work, unless this is a CI run whose machine was so slow that it might be cut off. */
export async function unlessLate(work: () => Promise<Outcome>): Promise<Outcome> {
  if (!isCi() || minutes() <= latestMinutes) return work()
  return leftOut(`${Math.round(minutes())} minutes have passed`)
}

/** Tells for which part of their files the two long steps of a CI run have time, so that all the others have it too. */
export function openParts(now: () => number = () => (isCi() ? minutes() : 0)) {
  /** Minutes until the first of the two, by which the machine's speed is known. */
  let before: number | undefined

  return {
    /** As `--shard` of Vitest takes it, a quarter at the least; undefined: all files. */
    for(step: keyof typeof shares): string | undefined {
      const passed = now()
      before ??= passed
      const toCome = step === 'journeys' ? shares.journeys : shares['node-red'] + shares.journeys
      const parts = [1, 2, 3].find((n) => passed + (before! * toCome) / n <= limitMinutes) ?? 4
      return parts === 1 ? undefined : `1/${parts}`
    },
  }
}
