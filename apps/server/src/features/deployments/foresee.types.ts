import { type Foreseen, linkNodeTypes, ModuleVersion, reservedModules, switches } from '@app/contract'
import { effectiveSettings } from '../instance-settings/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import type { FlowNode } from '../flows/index.ts'
import known from './foresee.known.json' with { type: 'json' }
import type { ModuleNote } from './foresee.store.ts'
import { countOf, listed, shownNode } from './foresee.words.ts'

/** Node-RED knows these without a module. */
const structure = new Set(['tab', 'group', 'subflow', 'unknown'])
const core = 'node-red'

interface Asked {
  /** The instance as it will be. */
  row: WholeInstance
  nodes: readonly FlowNode[]
  /** The modules that instances have noted, its own first. */
  notes: readonly ModuleNote[]
  /** Modules that are installed with it. */
  chosen: readonly { name: string }[]
  /** Does the platform bring the nodes for messages between instances? */
  hasMessages: boolean
  /** Where modules are looked for, when that is not the instance: at the end of a sentence. */
  home?: string
}

/** The types that each module brings, as instances have noted it, and what is known of popular ones. */
function typesByModule(notes: readonly ModuleNote[]): Map<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>(Object.entries(known).map(([name, types]) => [name, new Set(types)]))
  for (const { name, types } of notes.filter((note) => !reservedModules.includes(note.name))) {
    const one = all.get(name) ?? new Set()
    for (const type of types) one.add(type)
    all.set(name, one)
  }
  return all
}

/** Flows of Node-RED 4.1 and later name the modules of their nodes. */
function namedByFlows(nodes: readonly FlowNode[]): Map<string, string> {
  const modules = nodes.find(({ type }) => type === 'global-config')?.modules
  const entries = typeof modules === 'object' && modules !== null ? Object.entries(modules) : []
  return new Map(
    entries.filter(
      // Nobody can install what the platform brings.
      (one): one is [string, string] => ModuleVersion.safeParse(one[1]).success && !reservedModules.includes(one[0]),
    ),
  )
}

interface Found {
  byModule: ReadonlyMap<string, ReadonlySet<string>>
  /** The modules that the instance will have. */
  has: ReadonlySet<string>
  /** The nodes of each type that none of those is known to bring. */
  missing: ReadonlyMap<string, readonly FlowNode[]>
}

function find({ row, nodes, notes, hasMessages }: Asked): Found {
  const byModule = typesByModule(notes)
  const has = new Set([core, ...(effectiveSettings(row).palette?.modules ?? []).map(({ name }) => name)])
  const brought = hasMessages ? linkNodeTypes : []
  const present = new Set([...brought, ...[...has].flatMap((name) => [...(byModule.get(name) ?? [])])])
  const subflows = new Set(nodes.flatMap(({ type, id }) => (type === 'subflow' ? [`subflow:${id}`] : [])))
  const missing = new Map<string, FlowNode[]>()
  for (const node of nodes) {
    const { type } = node
    if (structure.has(type) || present.has(type) || subflows.has(type)) continue
    missing.set(type, [...(missing.get(type) ?? []), node])
  }
  return { byModule, has, missing }
}

/** Is every node type known to be there? */
export const lacksNoType = (asked: Asked): boolean => find(asked).missing.size === 0

/** Types that are missing, and that no module is known to have. */
export function unknownTypes(asked: Asked): string[] {
  const { byModule, missing } = find(asked)
  return [...missing.keys()].filter((type) => ![...byModule.values()].some((types) => types.has(type)))
}

/** Node types that the instance lacks, by the module that has them. */
export function missingTypes(asked: Asked): Foreseen[] {
  const { nodes, notes, chosen, home: place = 'installed' } = asked
  const { byModule, has, missing } = find(asked)
  if (missing.size === 0) return []

  const inFlows = namedByFlows(nodes)
  // Only its installation tells the types of a module that nobody has installed yet.
  const unread = [...inFlows.keys()].filter((name) => !has.has(name) && !byModule.has(name))
  const isVague = [...has, ...chosen.map(({ name }) => name)].some((name) => !byModule.has(name))
  const groups = new Map<string, string[]>()
  for (const type of missing.keys()) {
    const isIn = (name: string) => byModule.get(name)?.has(type) === true
    const home = [...inFlows.keys(), ...byModule.keys()].find((name) => !has.has(name) && isIn(name))
    const module = home ?? (unread.length > 0 ? unread.join(' ') : '')
    groups.set(module, [...(groups.get(module) ?? []), type])
  }
  const versionOf = (name: string) => inFlows.get(name) ?? notes.find((one) => one.name === name)?.version ?? '*'
  const shared = { missing, nodes, isVague, place }
  return [...groups].flatMap(([modules, types]): Foreseen[] =>
    modules === ''
      ? [unknown(types, shared)]
      : modules.split(' ').map((name) => offered({ name, version: versionOf(name) }, types, shared)),
  )
}

interface Shared {
  missing: ReadonlyMap<string, readonly FlowNode[]>
  nodes: readonly FlowNode[]
  isVague: boolean
  place: string
}

const codesOf = (types: readonly string[]) => types.map((type) => `type:${type}`)
const usersOf = (types: readonly string[], { missing }: Shared) => types.flatMap((type) => missing.get(type) ?? [])

function offered(module: { name: string; version: string }, types: string[], shared: Shared): Foreseen {
  const users = usersOf(types, shared)
  const what = `${countOf(users.length, 'node', 'nodes')} of type ${listed(types)}`
  const sentence = `The module ${module.name} is not ${shared.place}. ${what} ${users.length === 1 ? 'needs' : 'need'} it.`
  return {
    kind: 'type',
    sentence,
    stops: true,
    codes: codesOf(types),
    types,
    node: shownNode(users[0]!, shared.nodes),
    module,
  }
}

/** Nodes for messages are missing only where the platform does not bring them. */
const switchedOff = (types: readonly string[]) =>
  types.every((type) => linkNodeTypes.includes(type))
    ? `${switches.projectComms}, so the flows have no nodes of type ${listed(types)}.`
    : undefined

function unknown(types: string[], shared: Shared): Foreseen {
  const users = usersOf(types, shared)
  const many = types.length === 1 ? 'The node type' : 'The node types'
  const off = switchedOff(types)
  const sentence =
    off ??
    (shared.isVague
      ? `${many} ${listed(types)} may be missing: no instance of the team has run a module with ${types.length === 1 ? 'it' : 'them'} yet.`
      : `${many} ${listed(types)} ${types.length === 1 ? 'is' : 'are'} missing, and no module is known that has ${types.length === 1 ? 'it' : 'them'}.`)
  return {
    kind: 'type',
    sentence,
    ...(shared.isVague && off === undefined ? {} : { stops: true }),
    codes: codesOf(types),
    types,
    node: shownNode(users[0]!, shared.nodes),
  }
}
