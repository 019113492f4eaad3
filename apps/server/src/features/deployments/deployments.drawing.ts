import { type FlowNode, nodesIn } from '../flows/index.ts'
import type { Difference } from '@app/contract'
import { setImmediate } from 'node:timers/promises'
import { drawable, drawnBefore } from '../snapshots/index.ts'

/** The drawable differences between flows, given as they are kept; none where no flows are brought. */
export async function drawn(before: string, after: string | undefined, changes: Pick<Difference, 'nodes'>) {
  if (after === undefined) return { drawing: [], was: [] }
  // Comparing large flows has just taken its time: let others have theirs.
  await setImmediate()
  const [old, next] = [nodesIn(before), nodesIn(after)]
  return { drawing: drawingOf(old, next, changes), was: drawnBefore(old, next, changes) }
}

/**
 * Every node of each tab and subflow where something changes, those that would go among them, with what is needed to
 * draw it.
 */
function drawingOf(
  before: readonly FlowNode[],
  after: readonly FlowNode[],
  { nodes }: Pick<Difference, 'nodes'>,
): FlowNode[] {
  const changed = new Set(nodes.map(({ id }) => id))
  const there = new Set(after.map(({ id }) => id))
  const all = [...after, ...before.filter(({ id }) => !there.has(id))]
  const places = new Set(all.filter(({ id }) => changed.has(id)).map(({ id, z }) => (typeof z === 'string' ? z : id)))
  return all
    .filter(({ id, z, type }) => type === 'subflow' || places.has(id) || (typeof z === 'string' && places.has(z)))
    .map(drawable)
}
