import type { FlowsReport } from '@app/contract/instance-link'
import { findPlaced, isStarted } from '@app/contract/flows-enabled'
import { idlePlaced } from '@app/contract/flows-working'
import type { DeadNodes } from './flows.dead.ts'
import type { FlowNodes } from './flows.nodes.ts'
import type { NodeRedNode } from './stack.ts'

export type FlowsCounts = Required<Pick<FlowsReport, 'nodes' | 'enabled' | 'configs'>>

interface CountsOptions {
  all(): readonly NodeRedNode[]
  find: FlowNodes['find']
  isThere(node: Pick<NodeRedNode, 'id'>): boolean
}

/** Tells which nodes of flows should run, and which do. */
export function createCounts({ all, find, isThere }: CountsOptions) {
  const homeOf = ({ z }: NodeRedNode) => (z === undefined ? undefined : find(z))
  const isOff = (node: NodeRedNode): boolean => !isStarted(node, homeOf(node))

  /** Number of nodes on tabs that work, where a node at the end of a path may be dead. */
  function countWorking(placed: readonly NodeRedNode[], hasDied: DeadNodes['has']): number {
    // The ids of the instances that a node is in are the beginning of its own while it runs.
    const isDead = ({ id }: NodeRedNode, path: readonly string[]) =>
      !isThere({ id: [...path.slice(1), id].join('-') }) || hasDied(path.join('/'), id)
    const idle = idlePlaced(all(), placed, isDead)
    // Two nodes may have one ID.
    return placed.filter(({ id }) => !idle.has(id)).length
  }

  return {
    isOff,
    /** Numbers of nodes that run and that should; `hasDied` tells which can do nothing. */
    count(hasDied: DeadNodes['has'] | 'stopped'): FlowsCounts {
      const isPlaced = findPlaced(all)
      const on = all().filter((node) => !isOff(node))
      const placed = on.filter(isPlaced)
      if (hasDied === 'stopped') return { nodes: 0, enabled: placed.length, configs: 0 }
      return {
        nodes: countWorking(placed, hasDied),
        enabled: placed.length,
        configs: on.filter((node) => !isPlaced(node) && isThere(node)).length,
      }
    },
  }
}
