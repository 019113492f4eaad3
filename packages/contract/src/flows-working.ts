import { enabledParts, findPlaced, isNode } from './flows-enabled.ts'
import { idleNodes, type Ports, type WiredNode } from './flows-idle.ts'
import { areTooManyPlaces, subflowType } from './flows-places.ts'

/**
 * The ids of those `placed` nodes, on tabs, that can do nothing. `isDead` is asked for each node with the ids of the tab and
 * of the instances of subflows that it is in. An instance does nothing when no node in it does. Where there are very many, an
 * instance counts as doing something.
 */
export function idlePlaced<N extends WiredNode>(
  all: readonly N[],
  placed: readonly N[],
  isDead: (node: N, path: readonly string[]) => boolean,
): ReadonlySet<string> {
  const isPlaced = findPlaced(() => all)
  const inside = Map.groupBy(
    enabledParts(all).filter((node) => isNode(node) && isPlaced(node)),
    ({ z }) => z,
  )
  const subflows = new Map(all.flatMap((node) => (node.type === 'subflow' ? [[node.id, portsOf(node)] as const] : [])))

  const staysOut = areTooManyPlaces(all)

  function isIdle(node: N, path: readonly string[]): boolean {
    const { id, type } = node
    if (isDead(node, path)) return true
    if (!type.startsWith(subflowType) || staysOut) return false
    const subflow = type.slice(subflowType.length)
    const ports = subflows.get(subflow)
    // It is missing, which is told otherwise, or messages go straight through it.
    if (!ports || ports.exits.has(subflow)) return false
    const within = inside.get(subflow) ?? []
    const idle = idleNodes(within, (one) => isIdle(one, [...path, id]), ports)
    return within.every((one) => idle.has(one.id))
  }
  return idleNodes(placed, (node) => isIdle(node, [typeof node.z === 'string' ? node.z : '']))
}

interface Port {
  wires?: { id?: string }[]
}

/** The ends of the wires of a subflow. */
export function portsOf(subflow: object): Ports {
  const { in: ins, out, status } = subflow as Record<string, Port | Port[] | undefined>
  const ends = (ports: (Port | undefined)[]) =>
    new Set(ports.flatMap((port) => (port?.wires ?? []).flatMap(({ id }) => id ?? [])))
  return { entries: ends([ins ?? []].flat()), exits: ends([out ?? [], status ?? []].flat()) }
}
