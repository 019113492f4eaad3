/** The fields of a node or a tab that decide; flows also come from files, so any may be anything. */
interface Part {
  type?: unknown
  z?: unknown
  d?: unknown
  disabled?: unknown
}

/** Parts of flows that are no nodes. */
const structure = new Set(['tab', 'subflow', 'group', 'comment'])

/** Is this a node, and no tab, subflow, group or comment? */
export const isNode = ({ type }: Part): boolean => !structure.has(String(type))

/** Is this part enabled, with the tab or subflow it lies in? Node-RED starts nothing that is not. */
export const isEnabled = ({ d }: Part, home: Part | undefined): boolean =>
  d !== true && !(home?.type === 'tab' && home.disabled === true)

/** Is this a node that Node-RED starts as it stands? One in a subflow is started in each instance of that. */
export const isStarted = (part: Part, home: Part | undefined): boolean =>
  isEnabled(part, home) && isNode(part) && home?.type !== 'subflow'

const judged =
  (isWanted: typeof isEnabled) =>
  <N extends Part & { id?: unknown }>(flows: readonly N[]): N[] => {
    const byId = new Map<unknown, N>(flows.map((part) => [part.id, part]))
    return flows.filter((part) => isWanted(part, part.z === undefined ? undefined : byId.get(part.z)))
  }

/** The parts of these flows that are enabled, those in subflows among them. */
export const enabledParts = judged(isEnabled)
const started = judged(isStarted)

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

/** The nodes on tabs that Node-RED starts; configuration is none of them. */
export const startedNodes = <N extends Part & { id: string }>(flows: readonly N[]): N[] =>
  started(flows).filter(findPlaced(() => flows))
