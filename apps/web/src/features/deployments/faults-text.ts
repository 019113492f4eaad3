import type { Deployment, FlowNode } from '@app/contract'
import { plural } from '../../lib/plural.ts'

/** A node by its name or id, with its type and its tab. */
export function nodePlace({ id, type, name, tab }: FlowNode): string {
  return `${name ?? id} (${type})${tab ? ` on ${tab.label || tab.id}` : ''}`
}

/** Where the editor of an instance shows a node, with its properties open. */
export const nodeLink = (editor: string, { id }: FlowNode): string =>
  `${editor.replace(/\/$/, '')}/#node/${encodeURIComponent(id)}/edit`

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
