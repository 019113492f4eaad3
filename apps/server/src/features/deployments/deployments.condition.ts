import type { Driver } from '@app/drivers'
import type { WholeInstance } from '../instances/index.ts'

/** How an instance does right now, as it is said of a snapshot of what it holds: “was running well”. */
export async function conditionOf(driver: Driver, row: WholeInstance): Promise<string> {
  if (row.asleep === 1) return 'was asleep'
  if (row.wanted === 'suspended') return 'was suspended'
  if (row.wanted !== 'running') return 'was not running'
  const { state, flowsStopped } = await driver.status(row.id)
  if (state === 'crashed') return 'had crashed'
  if (state !== 'running') return 'was not running'
  if (flowsStopped) return 'its flows did not run'
  const errors = (await driver.flows(row.id))?.faults.length
  if (errors === undefined) return 'was running'
  return errors === 0 ? 'was running well' : `was running with ${errors} ${errors === 1 ? 'error' : 'errors'}`
}

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** Name of the snapshot that is kept before something: “Before push from “dev”, 22 Nov, 09:05 UTC, was running well”. */
export const nameOfKept = (before: string, at: number, condition: string | undefined): string =>
  [before, `${day.format(at)} UTC`, ...(condition === undefined ? [] : [condition])].join(', ')
