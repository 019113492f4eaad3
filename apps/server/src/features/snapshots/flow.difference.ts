import type { NodeChange, PropertyChange } from '@app/contract'
import { compareNodes, type FlowNode } from '../flows/index.ts'
import { hasVariables, variablesDifference } from './flow.variables.ts'

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))
const named = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const byId = (nodes: readonly FlowNode[]) => new Map(nodes.map((node) => [node.id, node]))

function side(key: 'old' | 'new', value: unknown): { old?: string; new?: string } {
  const text = value === undefined ? undefined : shown(value)
  return text === undefined ? {} : { [key]: text }
}

const none: ReadonlySet<string> = new Set()

/** The properties that differ, and whether its place on the drawing does. `secrets` names the credentials that do. */
function compare(before: FlowNode, after: FlowNode, secrets: ReadonlySet<string> = none) {
  const { keys, moved } = compareNodes(before, after)
  const ofVariables = hasVariables(after) && hasVariables(before)
  const variables = ofVariables ? namesIn(after.env) : none
  const own = new Set([...secrets].filter((name) => variables.has(name)))
  const properties = keys
    .filter((key) => key !== 'credentials' && !(ofVariables && key === 'env'))
    .map((key): PropertyChange => ({ key, ...side('old', before[key]), ...side('new', after[key]) }))
  if (ofVariables && (own.size > 0 || keys.includes('env')))
    properties.push(variablesDifference(before.env, after.env, own))
  // Flows from elsewhere may have credentials in their nodes, in clear.
  if (secrets.size > own.size || keys.includes('credentials')) properties.push({ key: 'credentials' })
  return { properties, moved }
}

const namesIn = (env: unknown): ReadonlySet<string> =>
  new Set((Array.isArray(env) ? env : []).flatMap((one: { name?: unknown } | null) => named(one?.name) ?? []))

/** Texts of several lines, such as the code of a function, which say what a node does that came or went. */
const textsOf = (node: FlowNode, key: 'old' | 'new'): PropertyChange[] =>
  Object.entries(node).flatMap(([name, value]) =>
    typeof value === 'string' && value.includes('\n') ? [{ key: name, [key]: value }] : [],
  )

/**
 * The nodes that are not the same in two versions of flows, in the order of the newer one, removed ones last, and the
 * names of the nodes that their properties refer to. `credentials` names the credentials that differ, by node.
 */
export function flowDifference(
  before: readonly FlowNode[],
  after: readonly FlowNode[],
  credentials: ReadonlyMap<string, ReadonlySet<string>>,
): { nodes: NodeChange[]; names: Record<string, string> } {
  const [old, next] = [byId(before), byId(after)]
  const names = new Map<string, string>()
  /** Notes the names of the nodes that a value refers to, as wires and configuration nodes are. */
  function note(value: unknown): void {
    if (typeof value === 'string') {
      if (value.length > longestId || names.has(value)) return
      const found = next.get(value) ?? old.get(value)
      if (found) names.set(value, labelOf(found))
    } else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) note(part)
  }
  function change(node: FlowNode, kind: NodeChange['change'], properties: PropertyChange[]): NodeChange {
    const home = typeof node.z === 'string' ? (next.get(node.z) ?? old.get(node.z)) : undefined
    const flow = home && labelOf(home)
    const subflow = subflowOf(node.type)
    note(subflow)
    // As in the editor, an instance of a subflow has the name of the subflow until it gets one of its own.
    const label = named(node.name) ?? (subflow && names.get(subflow)) ?? labelOf(node)
    return { id: node.id, type: node.type, label, ...(flow ? { flow } : {}), change: kind, properties }
  }
  const nodes = after.flatMap((node): NodeChange[] => {
    const earlier = old.get(node.id)
    if (!earlier) return [change(node, 'added', textsOf(node, 'new'))]
    const { properties, moved } = compare(earlier, node, credentials.get(node.id))
    for (const { key } of properties) for (const value of [earlier[key], node[key]]) note(value)
    const place = moved ? { moved: true as const } : {}
    if (properties.length > 0) return [{ ...change(node, 'changed', properties), ...place }]
    return moved ? [{ ...change(node, 'moved', []), ...place }] : []
  })
  const gone = before.filter(({ id }) => !next.has(id)).map((node) => change(node, 'removed', textsOf(node, 'old')))
  return { nodes: [...nodes, ...gone], names: Object.fromEntries(names) }
}

/** The ID of the subflow that a node of this type is an instance of. */
const subflowOf = (type: string): string | undefined =>
  type.startsWith('subflow:') ? type.slice('subflow:'.length) : undefined

/** A longer text is none; looking for it would cost the time of reading it. */
const longestId = 64

function labelOf(node: FlowNode): string {
  return named(node.name) ?? named(node.label) ?? node.type
}
