import { DriverError } from '@app/drivers'
import { AgentError, explained } from '../agent.errors.ts'
import type { Refused } from './target.ts'

/** Failures that pass by themselves, so that the same target is tried again. */
const passing = new Set([
  'disk_full',
  'install_timeout',
  'interrupted',
  'npm_missing',
  'platform_failing',
  'platform_unreachable',
  'registry_failing',
  'registry_certificate',
  'registry_refused',
  'registry_unreachable',
  'target_changed',
])
const firstPauseMs = 60_000
const longestPauseMs = 60 * 60_000

type Named = Pick<Refused, 'snapshot' | 'settings'>
const isSame = (one: Named, other: Named) => one.snapshot === other.snapshot && one.settings === other.settings

/** The record of a target that did not come up. */
export function refusalOf({ snapshot, settings }: Named, error: unknown): Refused {
  const { code, message } = explained(error)
  const isJudged = error instanceof DriverError || error instanceof AgentError
  return { snapshot, settings, code, message, final: isJudged && !passing.has(code) }
}

/** Whether a target that was refused is due again. Measured in time that passed, since clocks of devices may be wrong. */
export function createAttempts(now: () => number = () => performance.now()) {
  let last: { of: Named; at: number; pauseMs: number } | undefined

  return {
    /** @param refused the last refusal, if any. */
    isDue(wanted: Named, refused: Refused | undefined): boolean {
      if (!refused || !isSame(wanted, refused)) return true
      if (refused.final) return false
      return !last || !isSame(last.of, wanted) || now() - last.at >= last.pauseMs
    },
    /** Notes an attempt that failed. */
    failed(of: Named): void {
      const before = last && isSame(last.of, of) ? last.pauseMs : firstPauseMs / 2
      last = { of, at: now(), pauseMs: Math.min(before * 2, longestPauseMs) }
    },
  }
}
