import { isDeepStrictEqual } from 'node:util'

type Node = Readonly<Record<string, unknown>>

/** Parts of a subflow that hold the positions of its ports. */
const ports = new Set(['in', 'out', 'status'])

/**
 * Compares two versions of a node.
 * @returns the names of the properties that differ, and whether its position or size on the canvas does, which has no
 *   effect on what the node does and is not among them.
 */
export function compareNodes(before: Node, after: Node): { keys: string[]; moved: boolean } {
  const keys: string[] = []
  let moved = false
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, next] = [before[key], after[key]]
    if (isSame(old, next)) continue
    if (isPosition(after, key) || (isPorts(after, key) && isSame(withoutPositions(old), withoutPositions(next))))
      moved = true
    else keys.push(key)
  }
  return { keys, moved }
}

/** Only groups are saved with a size; `w` of another node is a property like any. */
const isPosition = ({ type }: Node, key: string) =>
  key === 'x' || key === 'y' || (type === 'group' && (key === 'w' || key === 'h'))
const isPorts = ({ type }: Node, key: string) => type === 'subflow' && ports.has(key)

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  return typeof a === 'object' && typeof b === 'object' && isDeepStrictEqual(a, b)
}

function withoutPositions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPositions)
  if (typeof value !== 'object' || value === null) return value
  const { x: _x, y: _y, ...rest } = value as Record<string, unknown>
  return rest
}
