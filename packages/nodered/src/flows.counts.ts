import type { FlowsReport } from '@app/contract/instance-link'
import type { DeadNodes } from './flows.dead.ts'
import type { FlowNodes } from './flows.nodes.ts'
import type { NodeRedNode } from './stack.ts'

export type FlowsCounts = Required<Pick<FlowsReport, 'nodes' | 'enabled' | 'configs'>>

/** Nothing of these runs by itself. */
const structure = new Set(['tab', 'subflow', 'group'])
const subflowType = 'subflow:'

interface CountsOptions {
  all(): readonly NodeRedNode[]
  find: FlowNodes['find']
  dead: Pick<DeadNodes, 'has' | 'isEmpty'>
  isThere(node: NodeRedNode): boolean
}

/** Tells which nodes of flows should run, and which do. */
export function createCounts({ all, find, dead, isThere }: CountsOptions) {
  /** Nothing runs of it by itself: it is disabled, or a part of the structure. */
  function isOff({ d, z, type }: NodeRedNode): boolean {
    const place = z === undefined ? undefined : find(z)
    return d === true || structure.has(type) || place?.disabled === true || place?.type === 'subflow'
  }

  /**
   * Finds nodes on a tab or in a subflow. Files made by hand may have neither positions nor wires. Configuration may
   * belong to a tab too: other nodes refer to it.
   */
  function findPlaced(): (node: NodeRedNode) => boolean {
    let referred: Set<unknown> | undefined
    return (node) => {
      const place = node.z === undefined ? undefined : find(node.z)
      if (place?.type !== 'tab' && place?.type !== 'subflow') return false
      if (Array.isArray(node.wires) || 'x' in node) return true
      referred ??= new Set(all().flatMap(({ id: _, ...rest }) => Object.values(rest)))
      return !referred.has(node.id)
    }
  }

  /** Finds nodes that do something, in the flows that run. */
  function findWorking(isPlaced: (node: NodeRedNode) => boolean): (node: NodeRedNode) => boolean {
    if (dead.isEmpty()) return isThere
    const inner = Map.groupBy(
      all().filter((node) => isActive(node) && node.d !== true && isPlaced(node)),
      ({ z }) => z,
    )
    /** An instance of a subflow does nothing when no node in it does. */
    function isDead({ id, type }: NodeRedNode, path: readonly string[]): boolean {
      if (dead.has(path.join('/'), id)) return true
      if (!type.startsWith(subflowType) || path.includes(id)) return false
      const within = inner.get(type.slice(subflowType.length)) ?? []
      return within.length > 0 && within.every((node) => isDead(node, [...path, id]))
    }
    return (node) => isThere(node) && !isDead(node, [node.z ?? ''])
  }

  return {
    isOff,
    /** How many nodes run, and how many should. */
    count(isStopped: boolean): FlowsCounts {
      const isPlaced = findPlaced()
      const on = all().filter((node) => isActive(node) && !isOff(node))
      const placed = on.filter(isPlaced)
      if (isStopped) return { nodes: 0, enabled: placed.length, configs: 0 }
      return {
        nodes: placed.filter(findWorking(isPlaced)).length,
        enabled: placed.length,
        configs: on.filter((node) => !isPlaced(node) && isThere(node)).length,
      }
    },
  }
}

const isActive = ({ type }: NodeRedNode) => type !== 'comment' && !structure.has(type)
