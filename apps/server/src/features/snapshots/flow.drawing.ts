import type { FlowNode } from './flow.difference.ts'

/** What is needed to draw a node, and nothing of what it does. */
const drawn = [
  'id',
  'type',
  'z',
  'g',
  'name',
  'label',
  'x',
  'y',
  'w',
  'h',
  'wires',
  'd',
  'l',
  'style',
  'disabled',
] as const
/** The same of subflows, whose ports are drawn too. */
const ofSubflows = ['color', 'in', 'out', 'status'] as const

/** A node with what is needed to draw it. */
export const drawable = (node: FlowNode): FlowNode =>
  pick(node, node.type === 'subflow' ? [...drawn, ...ofSubflows] : drawn)

const pick = (node: FlowNode, keys: readonly string[]) =>
  Object.fromEntries(keys.filter((key) => node[key] !== undefined).map((key) => [key, node[key]])) as FlowNode
