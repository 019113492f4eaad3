import type { FlowChanges } from '@app/contract'
import { compareNodes } from '../flows/index.ts'

type Node = Record<string, unknown>
type Counts = Record<'added' | 'changed' | 'moved' | 'removed', number>

/**
 * The differences between two lists of nodes, in all and per tab. A tab counts as a node on itself; a node moved from
 * another tab has changed on its present one.
 */
export function flowChanges(before: unknown, after: unknown): FlowChanges {
  const [old, now] = [byId(before), byId(after)]
  const labels = new Map([...labelsOf(old), ...labelsOf(now)])
  const tabs = new Map<string | undefined, Counts & { tab?: string }>()
  const total = { added: 0, changed: 0, moved: 0, removed: 0 }
  const count = (node: Node, what: keyof typeof total) => {
    const place = String(node.type === 'tab' ? node.id : node.z)
    const key = labels.has(place) ? place : undefined
    const tab = key === undefined ? {} : { tab: labels.get(key)! }
    const counts = tabs.get(key) ?? { ...tab, added: 0, changed: 0, moved: 0, removed: 0 }
    tabs.set(key, counts)
    counts[what] += 1
    total[what] += 1
  }
  for (const [id, node] of now) {
    const earlier = old.get(id)
    if (!earlier) {
      count(node, 'added')
      continue
    }
    const { keys, moved } = compareNodes(earlier, node)
    if (keys.length > 0) count(node, 'changed')
    else if (moved) count(node, 'moved')
  }
  for (const [id, node] of old) if (!now.has(id)) count(node, 'removed')
  return { ...total, tabs: [...tabs.values()] }
}

function byId(flows: unknown): Map<unknown, Node> {
  const nodes = (Array.isArray(flows) ? flows : []) as Node[]
  return new Map(nodes.map((node) => [node.id, node]))
}

/** Names of tabs and of subflows, which hold nodes as well, by id. */
function labelsOf(nodes: Map<unknown, Node>): [string, string][] {
  return [...nodes.values()].flatMap(({ id, type, label, name }): [string, string][] => {
    if (type !== 'tab' && type !== 'subflow') return []
    const text = type === 'tab' ? label : name
    return [[String(id), typeof text === 'string' && text !== '' ? text.slice(0, 200) : String(id)]]
  })
}
