import type { FlowFault, FlowNode, LogNode } from '@app/contract'

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

/** A node that wrote a line: of one in a subflow also on whose behalf it did. */
export function logNodeLocation(node: LogNode): string {
  const [tab, ...instances] = node.path ?? []
  if (!tab || instances.length === 0) return nodeLocation(node)
  const inside = instances.map(({ id, label }) => label || id).join(', ')
  return `${nodeLocation(node)}, in ${inside} on ${tab.label || tab.id}`
}

/** The node that an id in a log's address stands for, as far as these lines name it. */
export function nodeInLines(lines: readonly { node?: LogNode | undefined }[], id: string): string | undefined {
  for (const { node } of lines.toReversed()) {
    if (!node) continue
    if (node.id === id) return nodeLocation(node)
    const [tab, ...instances] = node.path ?? []
    const found = [node.tab, tab, ...instances].find((each) => each?.id === id)
    if (found) return found.label || id
  }
  return undefined
}

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
