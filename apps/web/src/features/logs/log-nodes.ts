import type { LogNode } from '@app/contract'
import { nodeLocation } from '../instances/index.ts'

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
