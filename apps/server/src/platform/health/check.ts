import type { WatchedJob } from '../jobs/jobs.ts'
import type { HealthCheck, HealthCodeName, HealthState } from '@app/contract'

/** One look at a part of the platform. */
export interface Look {
  part: string
  /** Listed before the others: much else depends on it, or it is what people open the page for. */
  leads?: true
  /** Runs the check; an exception counts as code CHECK01. */
  run(shared: Shared): Promise<Finding>
}
/** Reads that several checks need; each is done once when the page is opened. */
export interface Shared {
  jobs(): Promise<WatchedJob[]>
}
export type Finding = Omit<HealthCheck, 'part' | 'code'> & { code?: HealthCodeName }

const finding = (state: HealthState) => (seen: string, code?: HealthCodeName) =>
  ({ state, seen, ...(code && { code }) }) satisfies Finding

/** Nothing to do. */
export const fine = (seen: string): Finding => finding('ok')(seen)
/** Nothing to look at, by the settings. */
export const off = (seen: string, code?: HealthCodeName): Finding => finding('off')(seen, code)
export const warning = (code: HealthCodeName, seen: string): Finding => finding('warning')(seen, code)
export const broken = (code: HealthCodeName, seen: string): Finding => finding('error')(seen, code)
