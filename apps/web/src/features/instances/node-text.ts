import type { FlowFault, FlowNode } from '@app/contract'

/** A node by its name or id, with its type and its tab. */
export function nodeLocation({ id, type, name, tab }: FlowNode): string {
  return `${name ?? id} (${type})${tab ? ` on ${tab.label || tab.id}` : ''}`
}

/** Where the editor of an instance shows a node, with its properties open. */
export const nodeLink = (editor: string, { id }: FlowNode): string =>
  `${editor.replace(/\/$/, '')}/#node/${encodeURIComponent(id)}/edit`

/** Where the editor shows a tab or a subflow. */
export const tabLink = (editor: string, { id }: Pick<FlowNode, 'id'>): string =>
  `${editor.replace(/\/$/, '')}/#flow/${encodeURIComponent(id)}`

/** The lines of a node in the log of its instance. */
export const nodeLogLink = (instanceId: string, { id }: Pick<FlowNode, 'id'>): string =>
  `/instance/${instanceId}/logs?node=${encodeURIComponent(id)}`

export const faultKinds: Record<FlowFault['kind'], string> = {
  type: 'Missing type',
  compile: 'Does not compile',
  module: 'Missing module',
  setup: 'Setup has not ended',
  listen: 'Address in use',
  answer: 'No answer',
  error: 'Error',
  status: 'Not connected',
}
