import type { Difference } from '@app/contract'
import { isDeepStrictEqual } from 'node:util'
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

/** Changed and moved nodes as they were drawn before, where that differs from how they are drawn after. */
export function drawnBefore(
  before: readonly FlowNode[],
  after: readonly FlowNode[],
  { nodes }: Pick<Difference, 'nodes'>,
): FlowNode[] {
  const changed = new Set(nodes.flatMap(({ id, change }) => (change === 'changed' || change === 'moved' ? id : [])))
  const now = new Map(after.map((node) => [node.id, node]))
  return before.flatMap((node) => {
    const next = changed.has(node.id) ? now.get(node.id) : undefined
    const drawing = next && drawable(node)
    return drawing && !isDeepStrictEqual(drawing, drawable(next)) ? [drawing] : []
  })
}
