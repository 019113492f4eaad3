import { activityOf } from './flows-activity.ts'
import { enabledParts } from './flows-enabled.ts'
import { targetsIn, type WiredNode } from './flows-idle.ts'
import { eachPlace, subflowType } from './flows-places.ts'
import { portsOf } from './flows-working.ts'

/** A rule of a `change` node; flows also come from files, so any may be anything. */
interface Rule {
  t?: unknown
  p?: unknown
  pt?: unknown
  to?: unknown
  tot?: unknown
}

/** A message holds its request as a whole, in `req` and in `res`. */
const request = /^(?:re[qs]\b|$)/

/** May this rule keep a request in the context, where another node finds and answers it? */
function keepsRequest({ t, p, pt, to, tot }: Rule): boolean {
  const [from, kind, into] = t === 'move' ? [p, pt, tot] : [to, tot, pt]
  if (into !== 'flow' && into !== 'global') return false
  return kind === 'jsonata' || (kind === 'msg' && request.test(String(from)))
}

/** May it answer the request of a message? A function may by `msg.res`, and so may any node that is not Node-RED's own. */
function mayAnswer(node: WiredNode, subflows: ReadonlyMap<string, unknown>): boolean {
  const { type } = node
  if (type === 'http response' || type === 'function' || activityOf(type) === undefined) return true
  if (type.startsWith(subflowType)) return !subflows.has(type.slice(subflowType.length))
  const { rules } = node as { rules?: unknown }
  return (
    type === 'change' && Array.isArray(rules) && (rules as (Rule | null)[]).some((rule) => keepsRequest(rule ?? {}))
  )
}

/** Each `http in` whose requests nobody answers: its messages reach no node that may. */
export function unansweredRequests<N extends WiredNode>(all: readonly N[]): N[] {
  const asked = new Set([...eachPlace(all)].flatMap(({ node }) => (node.type === 'http in' ? [node] : [])))
  if (asked.size === 0) return []
  const nodes = enabledParts(all)
  const subflows = new Map(
    nodes.flatMap((node) => (node.type === 'subflow' ? [[node.id, portsOf(node)] as const] : [])),
  )
  const instances = Map.groupBy(nodes, ({ type }) =>
    type.startsWith(subflowType) ? type.slice(subflowType.length) : '',
  )
  const targets = targetsIn(nodes)
  const isInstance = new Set([...subflows.keys()].flatMap((id) => (instances.get(id) ?? []).map((one) => one.id)))
  const scoped = nodes.filter(({ type, scope }) => (type === 'catch' || type === 'complete') && Array.isArray(scope))
  const open = nodes.filter(({ type, scope }) => type === 'catch' && !Array.isArray(scope))
  const watched = scoped.flatMap(({ id, scope }) => (scope as unknown[]).map((one) => ({ id, one })))
  const byNode = Map.groupBy(watched, ({ one }) => one)
  const byPlace = Map.groupBy(open, ({ z }) => z)
  /** Errors go on to those who catch them around the instances of a subflow. */
  const around = [...open, ...watched.filter(({ one }) => isInstance.has(one as string))].map(({ id }) => id)

  function seenBy({ id, z }: N): string[] {
    const others = subflows.has(z as string) ? around : (byPlace.get(z) ?? []).map((one) => one.id)
    return [...(byNode.get(id) ?? []).map((one) => one.id), ...others]
  }

  function behind(node: N): string[] {
    const { id, type, z } = node
    const { wires = [], links = [] } = targets.get(id) ?? {}
    const seen = seenBy(node)
    const isLast = subflows.get(z as string)?.exits.has(id)
    const out = isLast ? (instances.get(z as string) ?? []).flatMap((one) => targets.get(one.id)?.wires ?? []) : []
    if (!type.startsWith(subflowType)) return [...wires, ...links, ...seen, ...out]
    const subflow = type.slice(subflowType.length)
    const { entries = [], exits } = subflows.get(subflow) ?? {}
    return [...entries, ...(exits?.has(subflow) ? wires : []), ...seen, ...out]
  }

  const before = new Map<string, string[]>()
  for (const node of nodes)
    for (const id of behind(node)) {
      const list = before.get(id)
      if (list) list.push(node.id)
      else before.set(id, [node.id])
    }
  const answered = new Set(nodes.flatMap((node) => (mayAnswer(node, subflows) ? [node.id] : [])))
  for (const id of answered) for (const one of before.get(id) ?? []) answered.add(one)
  return [...asked].filter(({ id }) => !answered.has(id))
}
