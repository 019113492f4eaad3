import { joined, type Verdict } from './flows.verdict.ts'
import { checkStart, type Clock, type Judged, type StartCheck } from './start.check.ts'

/** Options for judging a process; without any, for the time that it must stay up, with its check and its errors. */
export interface Judging {
  /** The part of that time. */
  share?: number
  /** Its inputs are closed while the version before serves (`beside`), or while nothing does (`alone`). */
  inputs?: 'beside' | 'alone'
  /** Only whether it runs, without its check and its errors. */
  isBrief?: boolean
  /** Which of two processes it is, of which both are judged. */
  member?: 'first' | 'second'
}
/** Judges what was started. @throws DriverError when it does not pass. */
export type Passes = (judged: Judged, how?: Judging) => Promise<void>

/** The standard that new contents have to meet. */
export type Standard = Omit<StartCheck, 'judged' | 'inputs' | 'sharesPorts' | 'setupMs'>

/** Judges the processes of new contents by one standard; `verdict` is that on all of them together. */
export function createJudging(deps: { clock: Clock }, standard: Standard): { passes: Passes; verdict(): Verdict } {
  const verdicts = new Map<Judging['member'], Verdict>()
  return {
    async passes(judged, { share = 1, inputs, isBrief = false, member } = {}) {
      const { check: _check, ...rest } = standard
      if (isBrief)
        return void (await checkStart(deps, { ...rest, judged, steadyMs: 0, setupMs: 0, refusesErrors: false }))
      // A port can be open in one of two processes only.
      const sharesPorts = member === 'second'
      const [steadyMs, setupMs] = [standard.steadyMs * share, standard.steadyMs]
      verdicts.set(member, await checkStart(deps, { ...standard, judged, steadyMs, setupMs, inputs, sharesPorts }))
    },
    verdict: () => joined([...verdicts.values()]),
  }
}
