import { enabledParts } from './flows-enabled.ts'

interface AnyNode {
  id: string
  type: string
  z?: unknown
}

export const subflowType = 'subflow:'

/** As many places of nodes are looked at one by one; flows with more of them take too long. */
const placesMost = 100_000
/** Node-RED has no memory for as many nodes, whatever an instance may use. */
const runningMost = 2_000_000
/** Subflows in subflows: Node-RED comes to an end of its stack not far from there. */
const depthMost = 500

/** A node where it runs: of a subflow, it runs in each instance. */
export interface Place<N> {
  node: N
  /** The ids of its tab, empty for configuration without one, and of the instances of subflows that it is in. */
  path: readonly string[]
  /** Its id while it runs. */
  id: string
}

/** Enabled nodes by the tab or subflow that they are in. */
function byHome<N extends AnyNode>(all: readonly N[]): { inside: Map<string, N[]>; subflows: ReadonlySet<string> } {
  return {
    inside: Map.groupBy(enabledParts(all), ({ z }) => (typeof z === 'string' ? z : '')),
    subflows: new Set(all.flatMap(({ id, type }) => (type === 'subflow' ? [id] : []))),
  }
}

const subflowOf = ({ type }: AnyNode) => (type.startsWith(subflowType) ? type.slice(subflowType.length) : undefined)

/** Number of nodes that run, also in instances of subflows. `loop`: a subflow that runs and contains itself. */
function runningNodes<N extends AnyNode>(all: readonly N[]): { count: number; loop?: N } {
  const { inside, subflows } = byHome(all)
  const counts = new Map<string, number>()
  const open = new Set<string>()
  let loop: string | undefined

  function countIn(home: string): number {
    const known = counts.get(home)
    if (known !== undefined) return known
    if (open.has(home)) loop ??= home
    if (open.has(home) || open.size >= depthMost) return Infinity
    open.add(home)
    let count = 0
    for (const node of inside.get(home) ?? []) {
      const subflow = subflowOf(node)
      count += 1 + (subflow === undefined ? 0 : countIn(subflow))
    }
    open.delete(home)
    counts.set(home, count)
    return count
  }

  let count = 0
  for (const home of inside.keys()) if (!subflows.has(home)) count += countIn(home)
  const found = loop === undefined ? undefined : all.find(({ id, type }) => id === loop && type === 'subflow')
  return { count, ...(found ? { loop: found } : {}) }
}

/** Why Node-RED would not come to an end of starting these flows: a word for it, a sentence, and the part. */
export function endlessOf<N extends AnyNode>(
  all: readonly N[],
): { reason: string; sentence: string; part?: N } | undefined {
  const group = groupWithoutEnd(all)
  if (group)
    return {
      reason: 'group-in-no-group',
      sentence: `The group “${nameOf(group)}” is in itself, or in a group that is not there.`,
      part: group,
    }
  if (!hasInstances(all)) return undefined
  const { count, loop } = runningNodes(all)
  if (count <= runningMost) return undefined
  if (!loop) return { reason: 'too-many-nodes', sentence: 'These flows have too many instances of subflows.' }
  const sentence = `The subflow “${nameOf(loop)}” contains itself.`
  return { reason: 'subflow-in-itself', sentence, part: loop }
}

function nameOf(part: AnyNode): string {
  const { name } = part as { name?: unknown }
  return typeof name === 'string' && name !== '' ? name.slice(0, 60) : part.id
}

/** Node-RED makes a group once the one around it is made, and waits for that without end. */
function groupWithoutEnd<N extends AnyNode>(all: readonly N[]): N | undefined {
  if (!all.some(isGroup)) return undefined
  const groups = enabledParts(all).filter(isGroup)
  const keyOf = ({ z }: AnyNode, id: unknown) => JSON.stringify([z, id])
  const made = new Set<string>()
  let left: readonly N[] = groups
  for (let before = -1; before !== left.length; ) {
    before = left.length
    left = left.filter((group) => {
      const { g } = group as { g?: unknown }
      const isMade = !g || made.has(keyOf(group, g))
      if (isMade) made.add(keyOf(group, group.id))
      return !isMade
    })
  }
  return left[0]
}

const isGroup = ({ type }: AnyNode) => type === 'group'

/** Most flows have none. */
const hasInstances = (all: readonly AnyNode[]) => all.some((node) => subflowOf(node) !== undefined)

/** Are there too many places to look at each? Then instances of subflows are not looked into. */
export const areTooManyPlaces = (all: readonly AnyNode[]): boolean =>
  hasInstances(all) && runningNodes(all).count > placesMost

/**
 * Every place where a node of flows should run: neither it is disabled, nor its tab, nor what it is in. Of very many only
 * those on tabs.
 */
export function* eachPlace<N extends AnyNode>(all: readonly N[]): Generator<Place<N>> {
  const { inside, subflows } = byHome(all)
  const staysOut = areTooManyPlaces(all)

  function* walk(nodes: readonly N[], path: readonly string[]): Generator<Place<N>> {
    for (const node of nodes) {
      const { id } = node
      yield { node, path, id: [...path.slice(1), id].join('-') }
      const subflow = subflowOf(node)
      if (subflow === undefined || staysOut) continue
      yield* walk(inside.get(subflow) ?? [], [...path, id])
    }
  }
  for (const [home, nodes] of inside) if (!subflows.has(home)) yield* walk(nodes, [home])
}
