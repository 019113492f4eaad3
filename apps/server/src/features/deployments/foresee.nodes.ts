import type { Foreseen } from '@app/contract'
import { isOfEditor } from '@app/contract/editor-paths'
import { unansweredRequests } from '@app/contract/flows-answers'
import { lostByIds, unaskedByPaths } from '@app/contract/flows-doubles'
import { enabledParts, startedNodes } from '@app/contract/flows-enabled'
import { eachPlace, endlessOf } from '@app/contract/flows-places'
import { waitingOf } from '@app/contract/flows-waiting'
import { idlePlaced } from '@app/contract/flows-working'
import { effectiveSettings } from '../instance-settings/index.ts'
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

/** Flows whose start Node-RED would not come to an end of, so that they are not started. */
export function endlessFlows(nodes: readonly FlowNode[]): Foreseen[] {
  const endless = endlessOf(nodes)
  if (!endless) return []
  const { reason, part } = endless
  const sentence = `${endless.sentence} Node-RED would never finish starting these flows, so they are not started.`
  const node = part ? { node: shownNode(part, nodes) } : {}
  return [{ kind: 'nodes', sentence, stops: true, codes: [`reason:${reason}`], ...node }]
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
  const idle = idlePlaced(nodes, active, (node) => dead.has(node))
  if (active.length === 0 || active.some(({ id }) => !idle.has(id))) return []
  const waits = [...dead].some(({ type }) => type !== 'function')
  const parses = waits ? 'they wait for ever or do not parse' : 'no function parses'
  const why = dead.size === 0 ? 'there are none in their subflows' : parses
  const sentence = `None of the nodes works: ${why}.`
  return [{ kind: 'function', sentence, stops: true, codes: ['nodes'] }]
}

/**
 * Nodes that others, or the editor, keep from running or from getting requests, and that were not so before. `row`: the
 * instance, where its editor is beside the flows.
 */
export function doubledNodes(nodes: readonly FlowNode[], before: readonly FlowNode[], row?: WholeInstance): Foreseen[] {
  const { httpAdminRoot, disableEditor } = row ? effectiveSettings(row) : {}
  const place = { httpAdminRoot: row?.replicas === null ? httpAdminRoot : (false as const), disableEditor }
  const ofEditor = (flows: readonly FlowNode[]) =>
    enabledParts(flows).filter(
      ({ type, url, method }) =>
        type === 'http in' && typeof url === 'string' && url !== '' && isOfEditor(String(method), url, place),
    )
  const newOf = (find: (flows: readonly FlowNode[]) => FlowNode[]) => {
    const known = new Set(find(before).map(({ id }) => id))
    return find(nodes).filter(({ id }) => !known.has(id))
  }
  const told = (node: FlowNode, has: string): Foreseen => ({
    kind: 'nodes',
    sentence: `${calls(node)} has the ${has}.`,
    node: shownNode(node, nodes),
  })
  return [
    ...newOf(lostByIds).map((node) => told(node, 'ID of another node, which runs in its place')),
    ...newOf(ofEditor).map((node) => told(node, 'path of a page or call of the editor, and gets no requests')),
    ...newOf(unaskedByPaths).map((node) =>
      told(node, 'path of an http in node that comes first, and gets no requests'),
    ),
  ]
}

/** Each `http in` that gets requests and whose flow has no answer to them, and that was not so before. */
export function unansweredNodes(
  row: WholeInstance,
  nodes: readonly FlowNode[],
  before: readonly FlowNode[] = [],
): Foreseen[] {
  const isWaiting = waitingFor(row, nodes, new Set())
  const known = new Set(unansweredRequests(before).map(({ id }) => id))
  const unasked = new Set(unaskedByPaths(nodes))
  return unansweredRequests(nodes).flatMap((node): Foreseen[] => {
    if (known.has(node.id) || unasked.has(node) || isWaiting(node)) return []
    const sentence = `${calls(node)} leads to no http response node, so its requests never get an answer.`
    return [{ kind: 'nodes', sentence, node: shownNode(node, nodes) }]
  })
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
