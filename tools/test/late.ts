import type { Outcome } from '../check/steps.ts'

/**
 * A CI run that is cut off after an hour and a half shows nothing at all. The installation before this is not counted,
 * and a part may take a few minutes more than the one before it, as when a file of it runs again.
 */
const limitMinutes = 82
/** Minutes until `node-red` begins on a machine that has time for everything. */
const quickMinutes = 16
/** A step's share of the minutes that are left when it begins. */
const shares = { 'node-red': 0.4, journeys: 1 }
const parts = 4

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

/**
 * Runs the two long steps: all their files at once or, in a CI run on a slow machine, in parts, as `--shard` of Vitest
 * takes them, for as long as another part would end in time.
 */
export function longSteps(now: () => number = () => (isCi() ? minutes() : 0)) {
  let isSlow: boolean | undefined

  return async (step: keyof typeof shares, run: (part?: string) => Promise<Outcome>): Promise<Outcome> => {
    const begun = now()
    isSlow ??= begun > quickMinutes
    if (!isSlow) return run()
    const end = begun + (limitMinutes - begun) * shares[step]
    const done: Outcome[] = []
    let longest = 0
    do {
      const from = now()
      done.push(await run(`${done.length + 1}/${parts}`))
      longest = Math.max(longest, now() - from)
    } while (done.length < parts && now() + longest <= end)
    const notes = done.flatMap(({ note }) => note ?? [])
    if (done.length < parts) notes.push(`${done.length} of ${parts} parts of the files, for want of time`)
    return {
      ok: done.every(({ ok }) => ok),
      output: done.flatMap(({ output }) => output || []).join('\n\n'),
      note: notes.join('; '),
    }
  }
}
