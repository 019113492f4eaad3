import type { Outcome } from '../check/steps.ts'

/** A CI run that is cut off after an hour and a half shows nothing at all. */
const limitMinutes = 88
/** The journeys take so much of what everything before them took, on any machine. */
const journeysShare = 0.95

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

/** The part of the files of journeys for which a CI run has time on a slow machine: undefined is all. */
export function journeysPart(passed: number = isCi() ? minutes() : 0): '1/2' | undefined {
  return passed * (1 + journeysShare) > limitMinutes ? '1/2' : undefined
}
