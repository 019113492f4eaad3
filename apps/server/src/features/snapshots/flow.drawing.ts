import type { Difference } from '@app/contract'
import type { FlowNode } from '../flows/index.ts'

/** The fields needed to draw a node, without its function. */
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
const drawnOfSubflows = [...drawn, 'color', 'in', 'out', 'status'] as const

/** A node with what is needed to draw it. */
export const drawable = (node: FlowNode): FlowNode => pick(node, node.type === 'subflow' ? drawnOfSubflows : drawn)

/** A loop, since flows have many thousands of nodes. */
function pick(node: FlowNode, keys: readonly string[]): FlowNode {
  const picked: Record<string, unknown> = {}
  for (const key of keys) if (node[key] !== undefined) picked[key] = node[key]
  return picked as FlowNode
}

/** Changed and moved nodes as they were drawn before, where that differs from how they are drawn after. */
export function drawnBefore(
  before: readonly FlowNode[],
  after: readonly FlowNode[],
  { nodes }: Pick<Difference, 'nodes'>,
): FlowNode[] {
  const changed = new Map(nodes.flatMap((node) => (node.change === 'added' ? [] : [[node.id, node.moved === true]])))
  const now = new Map(after.map((node) => [node.id, node]))
  return before.flatMap((node) => {
    const [moved, next] = [changed.get(node.id), now.get(node.id)]
    if (moved === undefined || !next) return []
    const drawing = drawable(node)
    return moved || JSON.stringify(drawing) !== JSON.stringify(drawable(next)) ? [drawing] : []
  })
}
