import { findPlaced, idleNodes, type Ports, type WiredNode } from './flows-idle.ts'
import { subflowType } from './flows-places.ts'

interface FlowsNode extends WiredNode {
  d?: unknown
}

/** Nothing of these runs by itself. */
const structure = new Set(['tab', 'subflow', 'group'])

export const isStructure = (type: string): boolean => structure.has(type)

/** Is it neither a comment nor a part of the structure? */
export const isActive = ({ type }: { type: string }): boolean => type !== 'comment' && !structure.has(type)

/**
 * The ids of those `placed` nodes, on tabs, that can do nothing. `isDead` is asked for each node with the ids of the tab and
 * of the instances of subflows that it is in. An instance does nothing when no node in it does.
 */
export function idlePlaced<N extends FlowsNode>(
  all: readonly N[],
  placed: readonly N[],
  isDead: (node: N, path: readonly string[]) => boolean,
): ReadonlySet<string> {
  const isPlaced = findPlaced(() => all)
  const inside = Map.groupBy(
    all.filter((node) => isActive(node) && node.d !== true && isPlaced(node)),
    ({ z }) => z,
  )
  const subflows = new Map(all.flatMap((node) => (node.type === 'subflow' ? [[node.id, portsOf(node)] as const] : [])))

  function isIdle(node: N, path: readonly string[]): boolean {
    const { id, type } = node
    if (isDead(node, path)) return true
    if (!type.startsWith(subflowType) || path.includes(id)) return false
    const subflow = type.slice(subflowType.length)
    const ports = subflows.get(subflow)
    // It is missing, which is told otherwise, or messages go straight through it.
    if (!ports || ports.exits.has(subflow)) return false
    const within = inside.get(subflow) ?? []
    return idleNodes(within, (one) => isIdle(one, [...path, id]), ports).size === within.length
  }
  return idleNodes(placed, (node) => isIdle(node, [typeof node.z === 'string' ? node.z : '']))
}

interface Port {
  wires?: { id?: string }[]
}

function portsOf(subflow: object): Ports {
  const { in: ins, out, status } = subflow as Record<string, Port | Port[] | undefined>
  const ends = (ports: (Port | undefined)[]) =>
    new Set(ports.flatMap((port) => (port?.wires ?? []).flatMap(({ id }) => id ?? [])))
  return { entries: ends([ins ?? []].flat()), exits: ends([out ?? [], status ?? []].flat()) }
}
