import type { Instance } from '@app/contract'
import { intervals } from '@app/contract/constants'
import { transitionalStates } from '@app/contract/instances'

export type Action = 'start' | 'restart' | 'suspend'

/** Will this state change by itself? Then it is worth asking again. */
const isMoving = (state: string | undefined): boolean => state !== undefined && transitionalStates.includes(state)

/** The same for an instance of which a change was asked for: that is under way, whatever the state is still. */
export const isUnsettled = (state: string | undefined, pending: boolean): boolean => pending || isMoving(state)

/**
 * Why this cannot be asked of an instance in this state [INST-31] [INST-32]; undefined if it can. `pending`: a change is
 * under way.
 */
export function actionObstacle(
  action: Action,
  meta: Partial<Pick<Instance['meta'], 'state' | 'sleeping'>> | undefined,
  pending: boolean,
): string | undefined {
  const state = meta?.state
  if (isMoving(state)) return `The instance is ${state}.`
  if (pending) return 'Another change is under way.'
  if (action === 'start') return state === 'running' ? 'The instance is running.' : undefined
  return state === 'suspended' && meta?.sleeping !== true ? 'The instance is suspended.' : undefined
}

/** Milliseconds before the next question when `polls` were asked already [INST-35]. */
export const pollWait = (polls: number): number => intervals.instancePollFirst * intervals.instancePollFactor ** polls
