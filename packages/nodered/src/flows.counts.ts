import type { FlowsReport } from '@app/contract/instance-link'
import { findPlaced, idleNodes } from '@app/contract/flows-idle'
import { subflowType } from '@app/contract/flows-places'
import type { DeadNodes } from './flows.dead.ts'
import type { FlowNodes } from './flows.nodes.ts'
import type { NodeRedNode } from './stack.ts'

export type FlowsCounts = Required<Pick<FlowsReport, 'nodes' | 'enabled' | 'configs'>>

/** Nothing of these runs by itself. */
const structure = new Set(['tab', 'subflow', 'group'])

/** The nodes in each subflow. */
type Inner = ReadonlyMap<string | undefined, NodeRedNode[]>

interface CountsOptions {
  all(): readonly NodeRedNode[]
  find: FlowNodes['find']
  isThere(node: Pick<NodeRedNode, 'id'>): boolean
}

/** Tells which nodes of flows should run, and which do. */
export function createCounts({ all, find, isThere }: CountsOptions) {
  /** Nothing runs of it by itself: it is disabled, or a part of the structure. */
  function isOff({ d, z, type }: NodeRedNode): boolean {
    const place = z === undefined ? undefined : find(z)
    return d === true || structure.has(type) || place?.disabled === true || place?.type === 'subflow'
  }

  /** How many of the nodes on tabs work, where a node at the end of a path may be dead. */
  function countWorking(placed: readonly NodeRedNode[], inner: Inner, hasDied: DeadNodes['has']): number {
    /**
     * An instance of a subflow does nothing when no node in it does. `path`: ids of the tab and of the instances that it is
     * in, which are the beginning of its own while it runs.
     */
    function isDead({ id, type }: NodeRedNode, path: readonly string[]): boolean {
      if (!isThere({ id: [...path.slice(1), id].join('-') }) || hasDied(path.join('/'), id)) return true
      if (!type.startsWith(subflowType) || path.includes(id)) return false
      const within = inner.get(type.slice(subflowType.length)) ?? []
      return within.length > 0 && idleNodes(within, (node) => isDead(node, [...path, id])).size === within.length
    }
    return placed.length - idleNodes(placed, (node) => isDead(node, [node.z ?? ''])).size
  }

  return {
    isOff,
    /** How many nodes run, and how many should; `hasDied` tells which can do nothing. */
    count(hasDied: DeadNodes['has'] | 'stopped'): FlowsCounts {
      const isPlaced = findPlaced(all)
      const active = all().filter(isActive)
      const on = active.filter((node) => !isOff(node))
      const placed = on.filter(isPlaced)
      if (hasDied === 'stopped') return { nodes: 0, enabled: placed.length, configs: 0 }
      const inner = Map.groupBy(
        active.filter((node) => node.d !== true && isPlaced(node)),
        ({ z }) => z,
      )
      return {
        nodes: countWorking(placed, inner, hasDied),
        enabled: placed.length,
        configs: on.filter((node) => !isPlaced(node) && isThere(node)).length,
      }
    },
  }
}

const isActive = ({ type }: NodeRedNode) => type !== 'comment' && !structure.has(type)
