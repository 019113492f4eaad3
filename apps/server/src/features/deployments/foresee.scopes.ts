import { eachPlace, subflowType } from '@app/contract/flows-places'
import type { FlowNode } from '../flows/index.ts'

/** The variables that a group, a tab, a subflow or an instance of one defines: by name, whether it has a value. */
type Defined = ReadonlyMap<string, boolean>

interface Entry {
  name?: unknown
  value?: unknown
  type?: unknown
}

/** Credentials are kept elsewhere; a name that another variable fills is asked of that one. */
const elsewhere = new Set<unknown>(['cred', 'env'])
const parent = '$parent.'

function defines({ env }: FlowNode): Defined {
  const entries = Array.isArray(env) ? (env as (Entry | null)[]) : []
  return new Map(
    entries.flatMap((one) => {
      if (typeof one?.name !== 'string') return []
      const { value, type } = one
      return [[one.name, elsewhere.has(type) || (value !== undefined && value !== null && value !== '')]]
    }),
  )
}

/** A variable that a node reads at one of its places. */
type IsFilled = (name: string) => boolean

/**
 * Every node that should run, at each of its places, with a test whether a variable has a value there. Node-RED looks in
 * the groups around the node, its tab or subflow, the groups and tabs around the instance of that subflow, the global
 * configuration and the environment, and stops at the first that defines the name, also with nothing.
 */
export function* placesWithVariables(
  nodes: readonly FlowNode[],
  environment: IsFilled,
): Generator<{ node: FlowNode; isFilled: IsFilled }> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const defined = new Map(nodes.filter(({ env }) => Array.isArray(env)).map((node) => [node, defines(node)]))
  const globals = nodes.filter(({ type }) => type === 'global-config')
  const find = (id: unknown) => (typeof id === 'string' ? byId.get(id) : undefined)

  /** The groups around a node, then its tab, or its subflow's instance and what is around that. */
  function* around({ g }: FlowNode, path: readonly string[]): Generator<FlowNode> {
    const seen = new Set<unknown>()
    for (let group = find(g); group && !seen.has(group); group = find(group.g)) {
      seen.add(group)
      yield group
    }
    const home = find(path.at(-1))
    if (!home) return
    yield home
    if (!home.type.startsWith(subflowType)) return
    // The subflow has the values that its instance does not define.
    const subflow = find(home.type.slice(subflowType.length))
    if (subflow) yield subflow
    yield* around(home, path.slice(0, -1))
  }

  const isFilledIn = (homes: readonly FlowNode[], name: string): boolean => {
    const asked = name.startsWith(parent) ? name.slice(parent.length) : name
    for (const home of homes) {
      const found = defined.get(home)?.get(asked)
      if (found !== undefined) return found
    }
    return environment(asked)
  }

  for (const { node, path } of eachPlace(nodes)) {
    const homes = [...around(node, path), ...globals]
    const isFilled: IsFilled = (name) => isFilledIn(name.startsWith(parent) ? homes.slice(1) : homes, name)
    yield { node, isFilled }
  }
}
