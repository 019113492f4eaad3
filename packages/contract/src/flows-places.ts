import { enabledParts } from './flows-enabled.ts'

interface AnyNode {
  id: string
  type: string
  z?: unknown
}

export const subflowType = 'subflow:'

/** A node where it runs: of a subflow, it runs in each instance. */
interface Place<N> {
  node: N
  /** The ids of its tab, empty for configuration without one, and of the instances of subflows that it is in. */
  path: readonly string[]
  /** Its id while it runs. */
  id: string
}

/** Every place where a node of flows should run: neither it is disabled, nor its tab, nor what it is in. */
export function* eachPlace<N extends AnyNode>(all: readonly N[]): Generator<Place<N>> {
  const inside = Map.groupBy(enabledParts(all), ({ z }) => (typeof z === 'string' ? z : ''))
  const subflows = new Set(all.flatMap(({ id, type }) => (type === 'subflow' ? [id] : [])))

  function* walk(nodes: readonly N[], path: readonly string[]): Generator<Place<N>> {
    for (const node of nodes) {
      const { id, type } = node
      yield { node, path, id: [...path.slice(1), id].join('-') }
      if (!type.startsWith(subflowType) || path.includes(id)) continue
      yield* walk(inside.get(type.slice(subflowType.length)) ?? [], [...path, id])
    }
  }
  for (const [home, nodes] of inside) if (!subflows.has(home)) yield* walk(nodes, [home])
}
