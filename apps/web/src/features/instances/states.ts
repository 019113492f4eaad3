import { intervals } from '@app/contract/constants'
import { transitionalStates } from '@app/contract/instances'

/** Will this state change by itself? Then it is worth asking again. */
export const isMoving = (state: string | undefined): boolean =>
  state !== undefined && transitionalStates.includes(state)

/** Milliseconds before the next question when `polls` were asked already [INST-35]. */
export const pollWait = (polls: number): number => intervals.instancePollFirst * intervals.instancePollFactor ** polls
