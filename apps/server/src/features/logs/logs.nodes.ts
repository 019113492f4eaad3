import { type FlowFault, type FlowNode, flowFaultText } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import { readStorage } from '../storage/index.ts'

export type Nodes = ReturnType<typeof createNodes>

/** The nodes of instances: what the deployed flows say of them, and what is wrong with them now. */
export function createNodes({ database, driver }: { database: Database; driver: Driver }) {
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
