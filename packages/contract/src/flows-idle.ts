import { activityOf } from './flows-activity.ts'

interface PlacedNode {
  id: string
  z?: unknown
  wires?: unknown
}

/**
 * Returns a test whether one of these nodes is on a tab or in a subflow, also on a tab that is missing. Files made by hand
 * may have neither positions nor wires. Configuration may belong to a tab too: other nodes refer to it.
 */
export function findPlaced<N extends PlacedNode>(all: () => readonly N[]): (node: N) => boolean {
  let referred: Set<unknown> | undefined
  return (node) => {
    // Configuration has no position. Without a tab other nodes are not started.
    if (!node.z) return 'x' in node && 'y' in node
    if (Array.isArray(node.wires) || 'x' in node) return true
    referred ??= new Set(all().flatMap(({ id: _, ...rest }) => Object.values(rest)))
    return !referred.has(node.id)
  }
}

interface WiredNode {
  id: string
  type: string
  wires?: unknown
  links?: unknown
}

/** Nodes that do nothing but pass messages on, or send them. */
const passing = new Set([
  'inject',
  'http in',
  'mqtt in',
  'tcp in',
  'udp in',
  'websocket in',
  'watch',
  'catch',
  'status',
  'complete',
  'change',
  'switch',
  'template',
  'split',
  'join',
  'sort',
  'batch',
  'delay',
  'trigger',
  'rbe',
  'junction',
  'range',
  'json',
  'xml',
  'csv',
  'html',
  'yaml',
  'file in',
])

/**
 * The ids of nodes that can do nothing, by the nodes of one tab or subflow, or of several: those that are dead, those that
 * only pass messages to such nodes, and Node-RED's own that get messages from such nodes alone. A function may act by
 * itself.
 */
export function idleNodes<N extends WiredNode>(nodes: readonly N[], isDead: (node: N) => boolean): ReadonlySet<string> {
  const idle = new Set(nodes.filter(isDead).map(({ id }) => id))
  if (idle.size === 0) return idle
  const there = new Set(nodes.map(({ id }) => id))
  const targets = new Map(nodes.map((node) => [node.id, targetsOf(node).filter((id) => there.has(id))]))
  const sources = Map.groupBy(
    [...targets].flatMap(([from, all]) => all.map((to) => ({ from, to }))),
    ({ to }) => to,
  )
  const areIdle = (ids: readonly string[]) => ids.length > 0 && ids.every((id) => idle.has(id))
  const isIdle = (node: N) =>
    !hasLinks(node) &&
    ((passing.has(node.type) && areIdle(targets.get(node.id) ?? [])) ||
      (isFed(node.type) && areIdle((sources.get(node.id) ?? []).map(({ from }) => from))))
  for (let before = -1; before !== idle.size; ) {
    before = idle.size
    for (const node of nodes) if (!idle.has(node.id) && isIdle(node)) idle.add(node.id)
  }
  return idle
}

/** Does a node of this type do nothing without a message? */
const isFed = (type: string) =>
  type !== 'function' && !type.startsWith('subflow:') && !type.startsWith('ui') && activityOf(type) !== undefined

/** Messages go by links too, which are no wires. */
const hasLinks = ({ links }: WiredNode) => Array.isArray(links) && links.length > 0

const targetsOf = ({ wires }: WiredNode): string[] =>
  Array.isArray(wires) ? wires.flat().filter((id) => typeof id === 'string') : []
