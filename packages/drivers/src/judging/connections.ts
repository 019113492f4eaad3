import type { FlowFault } from '@app/contract/flows-report'

type Node = Record<string, unknown>

/** Properties that do not say where a node connects. */
const aside = new Set(['id', 'type', 'x', 'y', 'z', 'g', 'd', 'l', 'w', 'h', 'name', 'info', 'wires', 'outputLabels'])
/** The words of Node-RED and of modules for an other end that is away, and the system's codes for it. */
const words =
  /\b(?:(?:re)?connecting|disconnected|not connected|no connection|offline|connection (?:lost|closed|refused|failed)|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)\b/i

/** Does a node show that its other end is not there? What it shows meanwhile changes from one look to the next. */
export const isNotConnected = ({ kind, message }: Pick<FlowFault, 'kind' | 'message'>): boolean =>
  kind === 'status' && words.test(message)

/**
 * The ids of nodes that connect or listen elsewhere than in the flows before: the configuration nodes that they refer to
 * differ or, of a node that refers to none, its own properties do. A node that was not there before is none of them.
 */
export function reconnected(before: readonly Node[], after: readonly Node[]): ReadonlySet<unknown> {
  if (before === after) return new Set()
  const [old, now] = [endsOf(before), endsOf(after)]
  return new Set([...now.keys()].filter((id) => old.has(id) && old.get(id) !== now.get(id)))
}

/** Returns the text of the configuration by which each node connects, by the id of the node. */
function endsOf(nodes: readonly Node[]): Map<unknown, string> {
  const configs = new Map(nodes.filter((node) => !('wires' in node || 'x' in node)).map((node) => [node.id, node]))
  const own = (node: Node) => Object.entries(node).filter(([key]) => !aside.has(key))
  const refersTo = (node: Node) =>
    own(node)
      .map(([, value]) => configs.get(value))
      .filter((one) => one !== undefined)
  /** The configuration nodes of a node, and those that these refer to in turn, as a broker does to its certificates. */
  const reach = (node: Node) => {
    const found = new Set(refersTo(node))
    for (const one of found) for (const next of refersTo(one)) found.add(next)
    return [...found]
  }
  const text = (node: Node) => [node.id, own(node).toSorted(([one], [other]) => (one < other ? -1 : 1))]
  return new Map(
    nodes.map((node) => {
      const ends = reach(node)
      if (ends.length === 0 || configs.has(node.id)) ends.push(node)
      return [node.id, JSON.stringify(ends.map(text))]
    }),
  )
}
