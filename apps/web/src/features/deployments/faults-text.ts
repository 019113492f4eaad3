import type { Deployment } from '@app/contract'
import { flowFaultsMax } from '@app/contract/instance-link.constants'
import { plural } from '../../lib/plural.ts'

type Ended = Pick<Deployment, 'state' | 'warning' | 'verdict'> & { faults?: readonly unknown[] | undefined }

/** The flows of one that is done. Earlier versions recorded no verdict, and a warning only for flows that were stopped. */
const verdictOf = ({ verdict, warning }: Ended) => verdict ?? (warning === undefined ? 'running' : 'stopped')

/** Result of a deployment: also one that is done may have left errors. */
export function endText(deployment: Ended): string {
  const { state, faults = [] } = deployment
  if (state !== 'done') return stateWords[state]
  const verdict = verdictOf(deployment)
  if (verdict === 'unjudged') return 'done, not judged'
  if (verdict === 'stopped') return 'done, flows stopped'
  if (faults.length === 0) return stateWords.done
  // More of them are not kept.
  return `done with ${faults.length < flowFaultsMax ? plural(faults.length, 'error') : `${flowFaultsMax} or more errors`}`
}

/** The tone of that. */
export function endTone(deployment: Ended) {
  const { state, faults = [] } = deployment
  if (state !== 'done') return stateTones[state]
  return verdictOf(deployment) !== 'running' || faults.length > 0 ? 'warn' : stateTones.done
}

const stateWords = { running: 'in progress', returning: 'being put back', done: 'done', failed: 'failed' } as const
const stateTones = { running: 'busy', returning: 'warn', done: 'ok', failed: 'bad' } as const
