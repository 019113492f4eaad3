import type { Foreseen } from '@app/contract'
import { enabledParts } from '@app/contract/flows-enabled'
import type { Driver } from '@app/drivers'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Messages } from '../comms/index.ts'
import type { Contents } from '../contents/index.ts'
import { effectiveSettings } from '../instance-settings/index.ts'
import { modulesOfFunctions, type FlowNode, nodesIn } from '../flows/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import { type Held } from '../snapshots/index.ts'
import type { Brought } from './deployments.kinds.ts'
import { standing } from './deployments.standing.ts'
import type { NodeCatalogue } from './foresee.catalogue.ts'
import { faultsOfCode } from './foresee.functions.ts'
import { takenPorts } from './foresee.listeners.ts'
import { doubledNodes, endlessFlows, noneEnabled, noneWorks, unansweredNodes, waitingNodes } from './foresee.nodes.ts'
import { tooOld } from './foresee.stack.ts'
import { stoppedNow } from './foresee.stopped.ts'
import { listOfNotes, type ModuleNote } from './foresee.store.ts'
import { lacksNoType, missingTypes, unknownTypes } from './foresee.types.ts'
import { missingVariables } from './foresee.variables.ts'
import { calls, countOf, shownNode } from './foresee.words.ts'

export interface Known {
  row: WholeInstance
  /** The contents of the instance now. */
  now: Held
  /** With the modules that its functions need. */
  brings: Brought
  /** The instance that it comes from. */
  source?: string
  /** The Node-RED that it ran on, where that is not the one of a source. */
  nodered?: string | undefined
}

export interface ForeseeDependencies {
  driver: Driver
  nodeCatalogue: NodeCatalogue
  messages: Pick<Messages, 'isOn'>
  database: Database
  vault: Vault
  contents: Contents
}

/** Problems known before a deployment starts anything, the worst first. Nothing of the new contents is run. */
export async function foresee(
  deps: ForeseeDependencies,
  { row, now, brings, source, nodered }: Known,
): Promise<Foreseen[]> {
  const { flows, settings, credentials } = brings.held
  const nodes = nodesIn(flows ?? now.flows)
  const before = nodesIn(now.flows)
  const after = standing(row, brings)
  const touchesTypes = flows !== undefined || settings !== undefined || brings.ground !== undefined
  const types = { row: after, nodes, chosen: brings.install ?? [], hasMessages: deps.messages.isOn }
  const suffices = (all: readonly ModuleNote[]) => lacksNoType({ ...types, notes: all })
  const noted = touchesTypes ? await listOfNotes(deps, row, source, suffices) : []
  const asked = touchesTypes ? unknownTypes({ ...types, notes: noted }) : []
  const notes = [...noted, ...(await deps.nodeCatalogue(asked))]
  const missing = touchesTypes ? missingTypes({ ...types, notes }) : []
  return [
    ...missing,
    ...stoppedNow(row, flows ?? now.flows, nodes, missing),
    ...(flows === undefined ? [] : noneEnabled(nodes, before)),
    ...(flows === undefined ? [] : endlessFlows(nodes)),
    ...(row.wanted === 'running' ? noneWorks(after, nodes) : []),
    ...(touchesTypes ? await tooOld(deps.driver, { before: row, after, nodes, notes, source, nodered }) : []),
    ...(flows === undefined ? [] : faultsOfCode(nodes, before, row.wanted === 'running')),
    ...(touchesTypes ? forbiddenModules(after, flows ?? now.flows) : []),
    ...(flows === undefined
      ? []
      : [
          ...waitingNodes(nodes, before),
          ...doubledNodes(nodes, before, after),
          ...unansweredNodes(after, nodes, before),
        ]),
    ...missingVariables(after, nodes, { row, nodes: before }),
    ...(flows === undefined ? [] : await takenPorts(deps, after, nodes)),
    ...(flows === undefined ? [] : missingCredentials(deps, row, nodes, credentials ?? now.credentials)),
  ]
}

/** Functions that use modules where functions may use none. */
function forbiddenModules(row: WholeInstance, flows: string): Foreseen[] {
  if (effectiveSettings(row).modules?.allowInstall !== false) return []
  return modulesOfFunctions(flows).map(({ name, node }) => ({
    kind: 'module',
    sentence: `The function "${node.name ?? node.id}" uses the module ${name}, and functions may not use modules here.`,
    node: { ...node, type: 'function' },
  }))
}

/** Types of Node-RED's own nodes that can have credentials. */
const withCredentials = new Set(['http request', 'http proxy', 'mqtt-broker'])

/** Nodes that may need credentials and have none, in one sentence. */
export function missingCredentials(
  { contents }: ForeseeDependencies,
  row: WholeInstance,
  nodes: readonly FlowNode[],
  sealed: string | null,
): Foreseen[] {
  const held = sealed === null ? {} : contents.openOr(row, sealed, {})
  const needs = enabledParts(nodes).filter(({ id, type, authType }) => {
    if (Object.hasOwn(held, id) || !withCredentials.has(type)) return false
    return type !== 'http request' || (typeof authType === 'string' && authType !== '')
  })
  const [first] = needs
  if (!first) return []
  const sentence =
    needs.length === 1
      ? `${calls(first)} has no credentials. If it needs some, enter them in the editor.`
      : `${countOf(needs.length, 'node has', 'nodes have')} no credentials. If they need some, enter them in the editor.`
  return [{ kind: 'credentials', sentence, node: shownNode(first, nodes) }]
}
