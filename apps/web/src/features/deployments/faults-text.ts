import type { Deployment } from '@app/contract'
import { plural } from '../../lib/plural.ts'

/** How a deployment ended: also one that is done may have left errors. */
export function endText({ state, warning, faults = [] }: Pick<Deployment, 'state' | 'warning' | 'faults'>): string {
  if (state !== 'done') return stateWords[state]
  if (warning !== undefined) return 'done, flows stopped'
  return faults.length === 0 ? stateWords.done : `done with ${plural(faults.length, 'error')}`
}

/** The tone of that. */
export function endTone({ state, warning, faults = [] }: Pick<Deployment, 'state' | 'warning' | 'faults'>) {
  return state === 'done' && (warning !== undefined || faults.length > 0) ? 'warn' : stateTones[state]
}

const stateWords = { running: 'in progress', returning: 'being put back', done: 'done', failed: 'failed' } as const
const stateTones = { running: 'busy', returning: 'warn', done: 'ok', failed: 'bad' } as const
