import type { NodeChange, PropertyChange } from '@app/contract'

/** A node as Node-RED writes it. */
export type FlowNode = Record<string, unknown> & { id: string; type: string }

/**
 * The nodes in flows as they are kept. What is none is left out, since flows also come from files and from whatever
 * wrote them through Node-RED.
 */
export function nodesIn(flows: string): FlowNode[] {
  const list = JSON.parse(flows) as unknown
  const isNode = (one: unknown): one is FlowNode => {
    const { id, type } = (one ?? {}) as Partial<FlowNode>
    return typeof id === 'string' && typeof type === 'string'
  }
  return Array.isArray(list) ? list.filter(isNode) : []
}

/** Where a node stands and how large it is drawn; of no matter for what it does. */
const drawing = new Set(['x', 'y', 'w', 'h'])

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))
const named = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const byId = (nodes: readonly FlowNode[]) => new Map(nodes.map((node) => [node.id, node]))

function side(key: 'old' | 'new', value: unknown): { old?: string; new?: string } {
  const text = value === undefined ? undefined : shown(value)
  return text === undefined ? {} : { [key]: text }
}

const isSame = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

/** What is different between two versions of a node: its properties, and whether its place on the drawing is. */
function compare(before: FlowNode, after: FlowNode): { properties: PropertyChange[]; moved: boolean } {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const different = keys.filter((key) => !isSame(before[key], after[key]))
  return {
    properties: different
      .filter((key) => !drawing.has(key))
      .map((key) => ({ key, ...side('old', before[key]), ...side('new', after[key]) })),
    moved: different.some((key) => drawing.has(key)),
  }
}

/**
 * The nodes that are not the same in two versions of flows, in the order of the newer one, removed ones last.
 * `credentials` holds the ids of nodes whose credentials are different.
 */
export function flowDifference(
  before: readonly FlowNode[],
  after: readonly FlowNode[],
  credentials: ReadonlySet<string>,
): NodeChange[] {
  const [old, next] = [byId(before), byId(after)]
  function change(node: FlowNode, kind: NodeChange['change'], properties: PropertyChange[]): NodeChange {
    const home = typeof node.z === 'string' ? (next.get(node.z) ?? old.get(node.z)) : undefined
    const flow = home && labelOf(home)
    const label = labelOf(node)
    return { id: node.id, type: node.type, label, ...(flow ? { flow } : {}), change: kind, properties }
  }
  return [
    ...after.flatMap((node) => {
      const earlier = old.get(node.id)
      if (!earlier) return [change(node, 'added', [])]
      const { properties, moved } = compare(earlier, node)
      if (credentials.has(node.id)) properties.push({ key: 'credentials' })
      if (properties.length > 0) return [change(node, 'changed', properties)]
      return moved ? [{ ...change(node, 'changed', []), moved: true as const }] : []
    }),
    ...before.filter(({ id }) => !next.has(id)).map((node) => change(node, 'removed', [])),
  ]
}

function labelOf(node: FlowNode): string {
  return named(node.name) ?? named(node.label) ?? node.type
}
