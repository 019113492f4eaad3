import type { NodeChange } from '@app/contract'
import type { NodeCounts } from '../../lib/node-counts.ts'

/** Stands for nodes that are on no flow, such as configuration nodes. */
export const noFlow = '(none)'
export const everyFlow = ''

export type NodeFilter = { text: string; flow: string; moved: boolean }

/** The flow that a node belongs to; a flow belongs to itself. */
const flowOf = ({ type, label, flow }: NodeChange): string =>
  type === 'tab' || type === 'subflow' ? label : (flow ?? noFlow)

/** Number of nodes by kind of change; one that moved and changed counts as changed. */
export function countNodes(nodes: readonly NodeChange[]): Required<NodeCounts> & { moved: number } {
  const counts = { added: 0, changed: 0, moved: 0, removed: 0 }
  for (const { change } of nodes) counts[change] += 1
  return counts
}

/** The flows in which something differs, with how many nodes, in the order in which they come. */
export function countFlows(nodes: readonly NodeChange[]): [flow: string, count: number][] {
  const counts = new Map<string, number>()
  for (const node of nodes) counts.set(flowOf(node), (counts.get(flowOf(node)) ?? 0) + 1)
  return [...counts]
}

/** The nodes that a filter leaves; text is looked for in names, types, ids, properties and their values. */
export function filterNodes(nodes: readonly NodeChange[], { text, flow, moved }: NodeFilter): NodeChange[] {
  const wanted = text.trim().toLowerCase()
  return nodes.filter(
    (node) =>
      (moved || node.change !== 'moved') &&
      (flow === everyFlow || flowOf(node) === flow) &&
      (wanted === '' || wordsOf(node).some((word) => word?.toLowerCase().includes(wanted))),
  )
}

const wordsOf = ({ id, type, label, flow, properties }: NodeChange): (string | undefined)[] => [
  id,
  type,
  label,
  flow,
  ...properties.flatMap(({ key, old, new: next, variables = [] }) => [
    key,
    old,
    next,
    ...variables.flatMap((one) => [one.name, one.old?.value, one.new?.value]),
  ]),
]
