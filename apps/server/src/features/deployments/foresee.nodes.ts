import type { Foreseen } from '@app/contract'
import { startedNodes } from '@app/contract/flows-enabled'
import { eachPlace } from '@app/contract/flows-places'
import { waitingOf } from '@app/contract/flows-waiting'
import { idlePlaced } from '@app/contract/flows-working'
import type { WholeInstance } from '../instances/index.ts'
import type { FlowNode } from '../flows/index.ts'
import { noneEnabledSentence } from '../snapshots/index.ts'
import { failsToParse } from './foresee.functions.ts'
import { lacking } from './foresee.variables.ts'
import { calls, shownNode } from './foresee.words.ts'

/** Flows without an enabled node; in the place of flows that had one they need a yes. */
export function noneEnabled(nodes: readonly FlowNode[], before: readonly FlowNode[]): Foreseen[] {
  if (startedNodes(nodes).length > 0) return []
  const ends = startedNodes(before).length > 0
  return [{ kind: 'nodes', sentence: noneEnabledSentence, ...(ends ? { stops: true, codes: ['nodes'] } : {}) }]
}

/**
 * Finds nodes that wait for ever, also where a variable without a value is in the place of what they wait for. `given`:
 * variables that have a value besides those of the instance.
 */
function waitingFor(row: WholeInstance, nodes: readonly FlowNode[], given: ReadonlySet<string>) {
  const without = lacking(row, nodes)
  return (node: FlowNode): boolean => {
    const waiting = waitingOf(node)
    if (!waiting || waiting.acts) return false
    const variable = waiting.unset?.variable
    return variable === undefined || (without.get(variable)?.includes(node) === true && !given.has(variable))
  }
}

/**
 * Flows that start, and of which no node works: functions do not parse, nodes wait for ever. `given`: variables that have
 * a value besides those of the instance.
 */
export function noneWorks(
  row: WholeInstance,
  nodes: readonly FlowNode[],
  given: ReadonlySet<string> = new Set(),
): Foreseen[] {
  const active = startedNodes(nodes)
  const isWaiting = waitingFor(row, nodes, given)
  const started = new Set([...eachPlace(nodes)].map(({ node }) => node))
  const dead = new Set([...started].filter((node) => failsToParse(node) || isWaiting(node)))
  if (active.length === 0 || idlePlaced(nodes, active, (node) => dead.has(node)).size < active.length) return []
  const waits = [...dead].some(({ type }) => type !== 'function')
  const parses = waits ? 'they wait for ever or do not parse' : 'no function parses'
  const why = dead.size === 0 ? 'there are none in their subflows' : parses
  const sentence = `None of the nodes works: ${why}.`
  return [{ kind: 'function', sentence, stops: true, codes: ['nodes'] }]
}

/** Nodes that wait for ever, and did not for the same reason before. A variable is told by itself. */
export function waitingNodes(nodes: readonly FlowNode[], before: readonly FlowNode[]): Foreseen[] {
  const reasonOf = (node: FlowNode) => {
    const waiting = waitingOf(node)
    return waiting && !waiting.unset && !waiting.acts ? waiting.has : undefined
  }
  const known = new Map(before.map((node) => [node.id, reasonOf(node)]))
  const active = new Set([...eachPlace(nodes)].map(({ node }) => node))
  return nodes.flatMap((node): Foreseen[] => {
    const has = active.has(node) ? reasonOf(node) : undefined
    if (has === undefined || known.get(node.id) === has) return []
    return [{ kind: 'nodes', sentence: `${calls(node)} ${has}, so it waits for ever.`, node: shownNode(node, nodes) }]
  })
}
