import { type FlowNode, nodesIn } from '../flows/index.ts'
import type { Foreseen } from '@app/contract'
import { effectiveSettings } from '../instance-settings/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import { type Held } from '../snapshots/index.ts'
import { type ForeseeDependencies, missingCredentials } from './foresee.ts'
import { faultsOfCode } from './foresee.functions.ts'
import { doubledNodes, endlessFlows, noneEnabled, noneWorks, unansweredNodes, waitingNodes } from './foresee.nodes.ts'
import { listOfNotes } from './foresee.store.ts'
import { lacksNoType, missingTypes, unknownTypes } from './foresee.types.ts'
import { lacking } from './foresee.variables.ts'
import { calls, countOf, listed, shownNode } from './foresee.words.ts'
import { nodejsNeed, satisfiedBy } from './nodejs.needs.ts'

/** A device as far as it matters for what it is to run. */
export interface TargetedDevice {
  name: string
  /** The Node.js under which it will run Node-RED, as far as its agent says; null: it does not. */
  nodejs: string | null
  /** The Node-RED of its own settings; null: that of the snapshot. */
  nodered: string | null
  /** Names of its own variables that have a value. */
  variables: ReadonlySet<string>
}

interface Asked {
  /** The instance with the settings of the snapshot. */
  row: WholeInstance
  held: Held
  /** The flows of the target until now, if there is one. */
  before: string | undefined
  /** The Node-RED of the snapshot, which agents install. */
  nodered: string | undefined
  devices: readonly TargetedDevice[]
}

/** Problems known before devices run a snapshot. They install the modules that it names, and no others. */
export async function foreseeOnDevices(deps: ForeseeDependencies, asked: Asked): Promise<Foreseen[]> {
  const { row, held, before = '[]', nodered, devices } = asked
  const nodes = nodesIn(held.flows)
  const types = { row, nodes, chosen: [], hasMessages: deps.messages.isOn }
  const noted = await listOfNotes(deps, row, undefined, (notes) => lacksNoType({ ...types, notes }))
  const notes = [...noted, ...(await deps.nodeCatalogue(unknownTypes({ ...types, notes: noted })))]
  const missing = missingTypes({ ...types, notes, home: 'in the snapshot' })
  return [
    // It is the instance where they are installed, before another snapshot is taken.
    ...missing.map(({ module: _module, ...one }) => one),
    ...noneEnabled(nodes, nodesIn(before)),
    ...endlessFlows(nodes),
    // A device may have its own value of a variable.
    ...noneWorks(row, nodes, new Set(devices.flatMap(({ variables }) => [...variables]))),
    ...oldNodejs(nodered, devices),
    ...(await modulesTooNew(deps, asked)),
    ...faultsOfCode(nodes, []),
    ...waitingNodes(nodes, []),
    ...doubledNodes(nodes, []),
    ...unansweredNodes(row, nodes),
    ...variablesWithout(row, nodes, devices),
    ...missingCredentials(deps, row, nodes, held.credentials),
  ]
}

const namesOf = (devices: readonly TargetedDevice[]) => listed(devices.map(({ name }) => `"${name}"`))

/** Devices whose Node.js is too old for the Node-RED that they will run. */
function oldNodejs(ofSnapshot: string | undefined, devices: readonly TargetedDevice[]): Foreseen[] {
  const byVersion = Map.groupBy(devices, ({ nodered }) => nodered ?? ofSnapshot)
  return [...byVersion].flatMap(([version, same]) => (version === undefined ? [] : oldNodejsFor(version, same)))
}

function oldNodejsFor(nodered: string, devices: readonly TargetedDevice[]): Foreseen[] {
  const need = nodejsNeed(nodered)
  if (!need) return []
  const needs = need.sentence
  const old = devices.filter(({ nodejs }) => nodejs !== null && !need.isMetBy(nodejs))
  const silent = devices.filter(({ nodejs }) => nodejs === null)
  return [
    ...(old.length === 0
      ? []
      : [
          {
            kind: 'stack' as const,
            sentence: `${needs}. ${old.length === 1 ? `${namesOf(old)} has ${old[0]?.nodejs}` : `${namesOf(old)} have an older one`}.`,
            stops: true as const,
          },
        ]),
    ...(silent.length === 0
      ? []
      : [
          {
            kind: 'stack' as const,
            sentence: `${needs}. The ${silent.length === 1 ? 'agent' : 'agents'} of ${namesOf(silent)} ${silent.length === 1 ? 'does' : 'do'} not say what Node.js is there.`,
          },
        ]),
  ]
}

/** Modules that ask for a newer Node.js than a device has. */
async function modulesTooNew({ driver }: ForeseeDependencies, { row, devices }: Asked): Promise<Foreseen[]> {
  const modules = effectiveSettings(row).palette?.modules ?? []
  if (modules.length === 0) return []
  const needs = await driver.moduleNeeds(
    row.id,
    modules.map(({ name }) => name),
  )
  return modules.flatMap(({ name, version }): Foreseen[] => {
    const need = needs[name]
    if (need?.node === undefined || need.version !== version) return []
    const old = devices.filter(({ nodejs }) => nodejs !== null && !satisfiedBy(nodejs, need.node!))
    if (old.length === 0) return []
    const sentence = `The module ${name} ${version} needs Node.js ${need.node}. ${namesOf(old)} ${old.length === 1 ? 'has another' : 'have others'}.`
    return [{ kind: 'stack', sentence }]
  })
}

/** Variables that the flows name, and that neither the snapshot nor a device gives a value. */
function variablesWithout(row: WholeInstance, nodes: readonly FlowNode[], devices: readonly TargetedDevice[]) {
  return [...lacking(row, nodes)].flatMap(([name, users]): Foreseen[] => {
    const without = devices.filter(({ variables }) => !variables.has(name))
    if (devices.length > 0 && without.length === 0) return []
    const where = without.length === devices.length ? '' : ` on ${namesOf(without)}`
    const use =
      users.length === 1 ? `${calls(users[0]!)} uses it.` : `${countOf(users.length, 'node uses', 'nodes use')} it.`
    const sentence = `The variable ${name} has no value${where}. ${use}`
    return [{ kind: 'variable', sentence, node: shownNode(users[0]!, nodes) }]
  })
}
