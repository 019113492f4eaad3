import type { WholeInstance } from '../instances/index.ts'
import type { Before } from '@app/drivers/judging'

/** Condition of an instance just before a change, as a snapshot of its contents says: “was running well”. */
export function conditionOf({ asleep, wanted }: Pick<WholeInstance, 'asleep' | 'wanted'>, before: Before): string {
  if (asleep === 1) return 'was asleep'
  if (wanted === 'suspended') return 'was suspended'
  if (wanted !== 'running' || before === 'none') return 'was not running'
  if (before === 'crashed') return 'had crashed'
  if (before === 'safe') return 'was in safe mode'
  if (before === 'unknown') return 'was running'
  if (before.state === 'stopped') return 'its flows did not run'
  const errors = before.faults.length
  return errors === 0 ? 'was running well' : `was running with ${errors} ${errors === 1 ? 'error' : 'errors'}`
}

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** A time as such names say it. */
export const timeOf = (at: number): string => `${day.format(at)} UTC`

/** Name of the snapshot that is kept before something: “Before push from “dev”, 22 Nov, 09:05 UTC, was running well”. */
export const nameOfKept = (before: string, at: number, condition: string): string =>
  `${before}, ${timeOf(at)}, ${condition}`
