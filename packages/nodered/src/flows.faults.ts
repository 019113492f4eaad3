import { flowFaultsMax } from '@app/contract/instance-link.constants'
import type { FlowFault } from '@app/contract/instance-link'
import { cut, type FlowNodes } from './flows.nodes.ts'

/** A fault as it is seen; `id` is that of its node in the flows, `running` that in an instance of a subflow. */
export type Seen = Omit<FlowFault, 'node' | 'count' | 'at'> & { id?: string; running?: string; type?: string }

/** These may come again and again; the others are true from the start of a node to its end. */
const isPassing = ({ kind }: FlowFault) => kind === 'error' || kind === 'status'

/**
 * The different faults of flows, at most fifty: where there are more, the latest stay. `onChange` is called with each
 * change of them.
 */
export function createFaults({ find, place }: Pick<FlowNodes, 'find' | 'place'>, onChange: () => void) {
  /** With the full ids of their nodes and of the tabs of these, which the faults tell in part. */
  const faults = new Map<string, { fault: FlowFault; id: string | undefined; tab: string | undefined }>()
  let seen = 0

  function forget(key: string): void {
    if (faults.delete(key)) onChange()
  }

  /** A running node has one status, whatever it says, and one setup code. */
  const keyOf = (kind: FlowFault['kind'], id: string | undefined, message: string) =>
    JSON.stringify([kind, id, ...(kind === 'status' || kind === 'setup' ? [] : [message])])

  function makeRoom(): void {
    if (faults.size < flowFaultsMax) return
    const [oldest] = faults
    const [key] = [...faults].find(([, { fault }]) => isPassing(fault)) ?? oldest!
    faults.delete(key)
  }

  return {
    add({ id, type, running = id, ...fault }: Seen): void {
      seen += 1
      const message = cut(fault.message, 'message')
      const key = keyOf(fault.kind, running, message)
      const before = faults.get(key)
      faults.delete(key)
      makeRoom()
      const told: FlowFault = {
        kind: fault.kind,
        ...(id === undefined ? {} : { node: before?.fault.node ?? place(id, type) }),
        message,
        ...(fault.stack === undefined ? {} : { stack: cut(fault.stack, 'stack') }),
        count: (before?.fault.count ?? 0) + 1,
        at: Date.now(),
      }
      faults.set(key, { fault: told, id, tab: id === undefined ? undefined : find(id)?.z })
      onChange()
    },
    /** The node shows no error any more, or its setup code has ended. */
    calm: (running: string, kind: 'status' | 'setup' = 'status'): void => forget(keyOf(kind, running, '')),
    /** Forgets the faults of these nodes, and of those on these tabs. */
    drop({ nodes, tabs }: Record<'nodes' | 'tabs', ReadonlySet<string>>): void {
      for (const [key, { id, tab }] of faults)
        if (id === undefined || nodes.has(id) || (tab !== undefined && tabs.has(tab))) forget(key)
    },
    clear(): void {
      seen = 0
      if (faults.size === 0) return
      faults.clear()
      onChange()
    },
    list: (): FlowFault[] => [...faults.values()].map(({ fault }) => fault),
    /** The nodes that the listed faults are of. */
    nodes: (): ReadonlySet<string | undefined> => new Set([...faults.values()].map(({ id }) => id)),
    count: (): number => seen,
  }
}
