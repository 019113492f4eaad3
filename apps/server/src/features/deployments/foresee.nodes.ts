import type { Foreseen } from '@app/contract'
import { idleNodes } from '@app/contract/flows-idle'
import type { WholeInstance } from '../instances/index.ts'
import type { FlowNode } from '../flows/index.ts'
import { enabledNodes, noneEnabledSentence } from '../snapshots/index.ts'
import { failsToParse } from './foresee.functions.ts'
import { lacking } from './foresee.variables.ts'
import { calls, shownNode } from './foresee.words.ts'

/** Flows without an enabled node in the place of flows that had one. */
export function noneEnabled(nodes: readonly FlowNode[], before: readonly FlowNode[]): Foreseen[] {
  if (enabledNodes(nodes).length > 0 || enabledNodes(before).length === 0) return []
  return [{ kind: 'nodes', sentence: noneEnabledSentence, stops: true, codes: ['nodes'] }]
}

const isPath = /^\$\{([^}\s]+)\}$/

/** Finds `http in` nodes without a path, also where a variable without a value names it: Node-RED leaves them out. */
function pathless(
  row: WholeInstance,
  nodes: readonly FlowNode[],
  given: ReadonlySet<string>,
): (node: FlowNode) => boolean {
  const without = lacking(row, nodes)
  return ({ type, url }) => {
    if (type !== 'http in') return false
    const [, name] = typeof url === 'string' ? (isPath.exec(url) ?? []) : []
    return url === undefined || url === '' || (name !== undefined && without.has(name) && !given.has(name))
  }
}

/**
 * Flows that start, and of which no node works: functions do not parse, `http in` nodes have no path. `given`: variables
 * that have a value besides those of the instance.
 */
export function noneWorks(
  row: WholeInstance,
  nodes: readonly FlowNode[],
  given: ReadonlySet<string> = new Set(),
): Foreseen[] {
  const active = enabledNodes(nodes)
  const isPathless = pathless(row, nodes, given)
  const dead = new Set(active.filter((node) => failsToParse(node) || isPathless(node)))
  if (active.length === 0 || idleNodes(active, (node) => dead.has(node)).size < active.length) return []
  const parses = [...dead].some(({ type }) => type !== 'function')
  const sentence = `None of the nodes works: ${parses ? 'they have no path or do not parse' : 'no function parses'}.`
  return [{ kind: 'function', sentence, stops: true, codes: ['nodes'] }]
}

/** `http in` nodes without a path that had one before, or were not there. A variable is told by itself. */
export function withoutPath(nodes: readonly FlowNode[], before: readonly FlowNode[]): Foreseen[] {
  const isEmpty = ({ type, url }: FlowNode) => type === 'http in' && (url === undefined || url === '')
  const known = new Set(before.filter(isEmpty).map(({ id }) => id))
  return enabledNodes(nodes).flatMap((node): Foreseen[] =>
    isEmpty(node) && !known.has(node.id)
      ? [
          {
            kind: 'nodes',
            sentence: `${calls(node)} has no path, so nothing reaches it.`,
            node: shownNode(node, nodes),
          },
        ]
      : [],
  )
}
