import { type FlowFault, type FlowNode, flowFaultText } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { findInstance } from '../instances/index.ts'
import { readStorage } from '../storage/index.ts'

export type Nodes = ReturnType<typeof createNodes>

export interface NodesDependencies {
  database: Database
  bus: Bus
  log: Logger
  driver: Driver
}

/** The nodes of instances: what the deployed flows say of them, and what is wrong with them now. */
export function createNodes({ database, bus, log, driver }: NodesDependencies) {
  async function tell(id: string): Promise<void> {
    const instance = await findInstance(database.read, id)
    if (instance) await database.transact((tx) => bus.publish(tx, { type: 'errors', team: instance.team_id, id }))
  }

  return {
    /** A node, tab or subflow of the deployed flows. @throws Failure not_found for one that they do not have, or no more. */
    async find(instanceId: string, nodeId: string): Promise<FlowNode> {
      const stored = (await readStorage(database.read, instanceId, 'flows')) ?? '[]'
      // Large flows are not read for what they cannot hold.
      const flows = stored.includes(JSON.stringify(nodeId)) ? (JSON.parse(stored) as unknown) : []
      const node = nodeIn(Array.isArray(flows) ? flows : [], nodeId)
      if (!node) throw fail('not_found')
      return node
    },

    /** Errors of the flows that run, the latest first. */
    async errors(instanceId: string): Promise<{ count: number; errors: FlowFault[] }> {
      const { faults = [] } = (await driver.flows(instanceId)) ?? {}
      return { count: faults.length, errors: faults.toSorted((a, b) => b.at - a.at) }
    },

    /** Tells browsers when those errors change, until the returned function is called. */
    follow: () =>
      driver.watchFaults((id) => {
        tell(id).catch((error: unknown) => log.warn({ err: error, instance: id }, 'changed errors not published'))
      }),
  }
}

type Known = Record<'id' | 'type' | 'name' | 'label' | 'z', unknown>

function nodeIn(flows: readonly unknown[], id: string): FlowNode | undefined {
  const find = (wanted: unknown) =>
    flows.find((each): each is Known => typeof each === 'object' && each !== null && (each as Known).id === wanted)
  const node = find(id)
  if (!node) return undefined
  const tab = typeof node.z === 'string' ? find(node.z) : undefined
  const name = nameOf(node)
  return {
    id,
    type: text(node.type) || 'unknown',
    ...(name === '' ? {} : { name }),
    ...(tab ? { tab: { id: text(tab.id), label: nameOf(tab) } } : {}),
  }
}

/** Tabs have a label. */
const nameOf = ({ name, label }: Known) => text(label) || text(name)
const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, flowFaultText.name) : '')
