import type { Difference, Drawing } from '@app/contract'

/** `both`: as it will be, with the nodes that go. */
export type Side = 'both' | 'before' | 'after'

/** A flow to be drawn before a change, after it, or both in one. `was` are the nodes that were drawn otherwise. */
export function drawnSide(
  side: Side,
  { drawing, was, nodes }: { drawing: Drawing; was: Drawing; nodes: Difference['nodes'] },
): Drawing {
  if (side === 'both') return drawing
  const other = side === 'before' ? 'added' : 'removed'
  const without = new Set(nodes.flatMap(({ id, change }) => (change === other ? id : [])))
  const earlier = new Map(side === 'before' ? was.map((node) => [node.id, node]) : [])
  return drawing.flatMap((node) => (without.has(node.id) ? [] : (earlier.get(node.id) ?? node)))
}
