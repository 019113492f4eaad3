import { findPlaced } from '@app/contract/flows-idle'
import type { FlowNode } from '../flows/index.ts'

/** Nodes that do nothing by themselves, or are not on a flow. */
const passive = new Set(['tab', 'subflow', 'group', 'comment'])

/** Nodes on tabs that Node-RED starts: neither disabled nor on a disabled tab, nor in a subflow alone. */
export function enabledNodes(nodes: readonly FlowNode[]): FlowNode[] {
  const off = new Set(nodes.flatMap(({ id, type, disabled }) => (type === 'subflow' || disabled === true ? [id] : [])))
  const isPlaced = findPlaced(() => nodes)
  return nodes.filter(
    (node) => node.d !== true && !passive.has(node.type) && !off.has(String(node.z)) && isPlaced(node),
  )
}

/** Said of flows that end what ran, and run nothing. */
export const noneEnabledSentence = 'These flows have no enabled nodes: nothing will run.'
