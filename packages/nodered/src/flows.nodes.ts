import type { FlowNode, LogNode } from '@app/contract/instance-link'
import { flowFaultText, flowPathMax } from '@app/contract/instance-link.constants'
import type { NodeRedMessage, NodeRedNode } from './stack.ts'

export type FlowNodes = ReturnType<typeof createFlowNodes>

/**
 * Finds nodes in the flows of a process by their ids. `read` gives the flows as they were deployed, where the names of
 * nodes are not yet replaced by the values of variables, some of which are secret.
 */
export function createFlowNodes(read: () => readonly NodeRedNode[]) {
  let known: readonly NodeRedNode[] = []
  let byId = new Map<string, NodeRedNode>()

  function find(id: string): NodeRedNode | undefined {
    const flows = read()
    if (flows !== known) {
      known = flows
      byId = new Map(flows.map((node) => [node.id, node]))
    }
    return byId.get(id)
  }

  /** `type` is that of a node that the flows have no more. */
  function place(id: string, type: string | undefined): FlowNode {
    const node = find(id)
    const tab = node?.z === undefined ? undefined : find(node.z)
    return {
      id: cut(id, 'name'),
      type: cut(node?.type ?? type ?? 'unknown', 'name'),
      ...(node?.name ? { name: cut(node.name, 'name') } : {}),
      ...(tab ? { tab: labelled(tab.id) } : {}),
    }
  }

  function labelled(id: string) {
    const { label, name } = find(id) ?? {}
    return { id: cut(id, 'name'), label: cut(label || name || '', 'name') }
  }

  /**
   * As the flows have it: a node in an instance of a subflow has another while it runs, which begins with that of the
   * instance. Of one that could not be started Node-RED tells only this.
   */
  function idOf({ id, _alias }: NodeRedMessage): string | undefined {
    if (typeof _alias === 'string') return _alias
    if (typeof id !== 'string' || find(id)) return typeof id === 'string' ? id : undefined
    const [, ...parts] = id.split('-')
    return parts.map((_, at) => parts.slice(at).join('-')).find((end) => find(end)) ?? id
  }

  return {
    find,
    place,
    idOf,
    /** The node that a message of Node-RED's log is from. */
    from(message: NodeRedMessage): LogNode | undefined {
      const id = idOf(message)
      if (id === undefined) return undefined
      const node = place(id, message.type)
      const path = typeof message.path === 'string' ? message.path.split('/') : []
      return path.length > 1 ? { ...node, path: path.slice(0, flowPathMax).map(labelled) } : node
    },
  }
}

/** A text as long as the contract allows. */
export const cut = (text: string, what: keyof typeof flowFaultText): string => text.slice(0, flowFaultText[what])
