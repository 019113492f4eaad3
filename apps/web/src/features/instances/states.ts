import { intervals } from '@app/contract/constants'
import { transitionalStates } from '@app/contract/instances'

/** Will this state change by itself? Then it is worth asking again. */
const isMoving = (state: string | undefined): boolean => state !== undefined && transitionalStates.includes(state)

/** The same for an instance of which a change was asked for: that is under way, whatever the state is still. */
export const isUnsettled = (state: string | undefined, pending: boolean): boolean => pending || isMoving(state)

/** Milliseconds before the next question when `polls` were asked already [INST-35]. */
export const pollWait = (polls: number): number => intervals.instancePollFirst * intervals.instancePollFactor ** polls
