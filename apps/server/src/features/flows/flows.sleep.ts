import { activityOf } from '@app/contract/flows-activity'
import { enabledParts } from '@app/contract/flows-enabled'

type Node = Record<string, unknown> & { type?: unknown }

/** The calls by which a function can keep something, or act without a message. */
const lasting = /\b(setTimeout|setInterval|setImmediate|context|flow|global|globalThis|eval|constructor)\b/

const filled = (value: unknown) => typeof value === 'string' && value.trim() !== ''
const inMemory = (kind: unknown) => kind === 'flow' || kind === 'global'
const rulesOf = ({ rules }: Node) => (Array.isArray(rules) ? (rules as Record<string, unknown>[]) : [])

/** Why a node must not be asleep, for the types of which some may be; undefined when nothing is against it. */
const judged: Record<string, (node: Node) => string | undefined> = {
  inject(node) {
    if (filled(node.repeat) || filled(node.crontab)) return 'runs by the clock'
    return node.once === true ? 'runs whenever the instance starts' : undefined
  },
  function(node) {
    if (filled(node.initialize)) return 'runs code whenever the instance starts'
    if (Array.isArray(node.libs) && node.libs.length > 0) return 'uses modules, which may do anything'
    const word = [node.func, node.finalize]
      .map((code) => lasting.exec(typeof code === 'string' ? code : '')?.[1])
      .find(Boolean)
    return word ? `uses "${word}", which may be lost in sleep` : undefined
  },
  change: (node) =>
    rulesOf(node).some(({ pt, tot }) => inMemory(pt) || inMemory(tot)) ? 'keeps values in memory' : undefined,
  switch: (node) =>
    inMemory(node.propertyType) ||
    rulesOf(node).some(({ vt, v2t }) => [vt, v2t].some((of) => inMemory(of) || of === 'prev'))
      ? 'compares with values in memory'
      : undefined,
}

/**
 * Why an instance with these flows must not fall asleep, in a sentence; null when it would miss nothing. Only nodes
 * that are known to wait for requests let it sleep: timers, connections and values in memory do not, and whatever is
 * not known counts as one of those. Disabled nodes do not run.
 */
export function sleepObstacle(flows: unknown): string | null {
  // Launchers may send the whole document, in which the list has a name.
  const list = Array.isArray(flows) ? flows : ((flows as { flows?: unknown } | null)?.flows ?? [])
  if (!Array.isArray(list)) return 'Its flows have a form that is not known.'
  for (const node of enabledParts(list as Node[])) {
    const why = obstacleOf(node)
    if (why) return `${called(node)} ${why}.`
  }
  return null
}

function obstacleOf(node: Node): string | undefined {
  const type = String(node.type)
  if (activityOf(type) === 'passive') return undefined
  const judge = Object.hasOwn(judged, type) ? judged[type] : undefined
  return judge ? judge(node) : 'may have timers or connections of its own'
}

function called({ type, name }: Node): string {
  const kind = `${String(type)} node`
  return filled(name) ? `The ${kind} "${String(name).slice(0, 60)}"` : `One ${kind}`
}
