import type { FlowNodes } from './flows.nodes.ts'

export type DeadNodes = ReturnType<typeof createDeadNodes>

/**
 * Nodes that are there and do nothing, however many there are: the list of faults is limited. A node in an instance of
 * a subflow is found by the path to it, since it may be dead in one instance only.
 */
export function createDeadNodes({ find }: Pick<FlowNodes, 'find'>) {
  const dead = new Map<string, { id: string; path: string[]; at: number }>()
  const keyOf = (path: string, id: string) => JSON.stringify([path, id])

  return {
    /**
     * `path`: ids of the tab and of the instances of subflows that it is in; without it, it is on its tab. Returns what
     * forgets it, unless it was added again.
     */
    add(id: string, path: unknown): () => void {
      const within = typeof path === 'string' ? path : (find(id)?.z ?? '')
      const key = keyOf(within, id)
      const one = { id, path: within.split('/'), at: Date.now() }
      dead.set(key, one)
      return () => {
        if (dead.get(key) === one) dead.delete(key)
      }
    },
    /** Each id once, with the time at which it was added first. */
    since: (): Map<string, number> => new Map([...dead.values()].toReversed().map(({ id, at }) => [id, at])),
    // It is asked about each node, and mostly there is none.
    has: (path: string, id: string): boolean => dead.size > 0 && dead.has(keyOf(path, id)),
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
