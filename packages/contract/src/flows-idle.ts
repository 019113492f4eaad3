import { activityOf } from './flows-activity.ts'
import { subflowType } from './flows-places.ts'

export interface WiredNode {
  id: string
  type: string
  z?: unknown
  wires?: unknown
  links?: unknown
  /** A `link call` has it. */
  linkType?: unknown
  /** The code of a function. */
  func?: unknown
  initialize?: unknown
  /** The nodes that a `catch`, `status` or `complete` node watches; without a list, those around it. */
  scope?: unknown
  inputs?: unknown
}

/** The ends of wires into a subflow and out of it, by the ids of its nodes. */
export interface Ports {
  entries: ReadonlySet<string>
  exits: ReadonlySet<string>
}

/** These get what happens to other nodes. */
const watching = new Set(['catch', 'status', 'complete'])
/** These send without a message that makes them. */
const starting = new Set([
  'inject',
  'http in',
  'mqtt in',
  'tcp in',
  'udp in',
  'websocket in',
  'watch',
  'serial in',
  'daemon',
])
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
  'link in',
  'link out',
  'link call',
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

const noPorts: Ports = { entries: new Set(), exits: new Set() }

/**
 * The ids of nodes that can do nothing, by the nodes of one subflow, or of all tabs: those that are dead, those that only
 * pass messages to such nodes, and Node-RED's own that get messages from such nodes alone, or from none. Links count as
 * wires. A function may act by itself. Where no node is dead, none is idle.
 */
export function idleNodes<N extends WiredNode>(
  nodes: readonly N[],
  isDead: (node: N) => boolean,
  { entries, exits }: Ports = noPorts,
): ReadonlySet<string> {
  const idle = new Set(nodes.filter(isDead).map(({ id }) => id))
  if (idle.size === 0) return idle
  const targets = targetsIn(nodes)
  const allOf = (id: string) => {
    const { wires = [], links = [] } = targets.get(id) ?? {}
    return [...wires, ...links]
  }
  const homes = Map.groupBy(nodes, ({ z }) => z)
  const beginnings = nodes.filter((node) => entries.has(node.id) || !isFed(node))
  const watchers = nodes.filter(({ type }) => watching.has(type))

  /** All that gets messages, from nodes that can send some. */
  function reached(): ReadonlySet<string> {
    const found = new Set(beginnings.flatMap(({ id }) => (idle.has(id) ? [] : id)))
    const spread = () => {
      for (const id of found) for (const to of allOf(id)) if (!idle.has(to)) found.add(to)
    }
    spread()
    for (let before = -1; before !== found.size; ) {
      before = found.size
      for (const node of watchers) if (!idle.has(node.id) && sees(node, found)) found.add(node.id)
      spread()
    }
    return found
  }

  function sees({ type, scope, z }: N, found: ReadonlySet<string>): boolean {
    if (Array.isArray(scope)) return scope.some((id) => found.has(id as string))
    return type !== 'complete' && (homes.get(z) ?? []).some(({ id }) => found.has(id))
  }

  const passesNothing = ({ id, type }: N) => {
    // A call passes on what comes back from where its link leads.
    const all = type === 'link call' ? (targets.get(id)?.links ?? []) : allOf(id)
    return passing.has(type) && !exits.has(id) && all.length > 0 && all.every((one) => idle.has(one))
  }
  for (let before = -1; before !== idle.size; ) {
    before = idle.size
    const found = reached()
    for (const node of nodes) if (!found.has(node.id) || passesNothing(node)) idle.add(node.id)
  }
  return idle
}

/** Does a node do nothing without a message from another? */
function isFed({ type, inputs }: WiredNode): boolean {
  // Such a node gets its topics by messages.
  if (type === 'mqtt in' && Number(inputs) === 1) return true
  if (starting.has(type) || type === 'function' || type.startsWith(subflowType) || type.startsWith('ui')) return false
  return activityOf(type) !== undefined
}

interface Targets {
  wires: string[]
  links: string[]
}

/** The targets of each node, by wires and by links. */
export function targetsIn(nodes: readonly WiredNode[]): ReadonlyMap<string, Targets> {
  const there = new Map(nodes.map((node) => [node.id, node]))
  const isThere = (id: unknown): id is string => typeof id === 'string' && there.has(id)
  const among = (ids: unknown) => (Array.isArray(ids) ? (ids.flat() as unknown[]).filter(isThere) : [])
  const targets = new Map(
    nodes.map((node) => [node.id, { wires: among(node.wires), links: isSender(node) ? among(node.links) : [] }]),
  )
  const ins = nodes.filter(({ type }) => type === 'link in')
  for (const node of ins)
    for (const id of among(node.links)) if (isSender(there.get(id)!)) targets.get(id)!.links.push(node.id)
  for (const node of nodes) if (callsAny(node)) targets.get(node.id)!.links.push(...ins.map(({ id }) => id))
  return targets
}

/** May it call any link in? A message or code names it, also in a subflow. */
const callsAny = ({ type, linkType, func, initialize }: WiredNode) =>
  (type === 'link call' && linkType === 'dynamic') ||
  type.startsWith(subflowType) ||
  (type === 'function' && [func, initialize].some((code) => typeof code === 'string' && code.includes('linkcall')))

const isSender = ({ type }: WiredNode) => type === 'link out' || type === 'link call'
