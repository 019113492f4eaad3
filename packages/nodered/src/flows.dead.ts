import type { FlowNodes } from './flows.nodes.ts'

export type DeadNodes = ReturnType<typeof createDeadNodes>

/**
 * Nodes that are there and do nothing, however many there are: the list of faults is limited. A node in an instance of
 * a subflow is found by the path to it, since it may be dead in one instance only.
 */
export function createDeadNodes({ find }: Pick<FlowNodes, 'find'>) {
  const dead = new Map<string, { id: string; path: string[] }>()
  const keyOf = (path: string, id: string) => JSON.stringify([path, id])

  return {
    /** `path`: ids of the tab and of the instances of subflows that it is in; without it, it is on its tab. */
    add(id: string, path: unknown): void {
      const within = typeof path === 'string' ? path : (find(id)?.z ?? '')
      dead.set(keyOf(within, id), { id, path: within.split('/') })
    },
    has: (path: string, id: string): boolean => dead.has(keyOf(path, id)),
    isEmpty: (): boolean => dead.size === 0,
    /** Forgets these nodes and those on these tabs, also where an instance that they are in is one of them. */
    drop({ nodes, tabs }: Record<'nodes' | 'tabs', ReadonlySet<string>>): void {
      const begins = (id: string) => nodes.has(id) || tabs.has(find(id)?.z ?? '')
      for (const [key, { id, path }] of dead) {
        const [tab = '', ...instances] = path
        if (tabs.has(tab) || [...instances, id].some(begins)) dead.delete(key)
      }
    },
    clear: (): void => dead.clear(),
  }
}
