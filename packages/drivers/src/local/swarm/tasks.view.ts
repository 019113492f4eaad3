import type { Engine } from '../containers/engine.ts'
import { labels } from '../containers/shared.ts'
import { nodesOf, type SwarmNode, type SwarmTask, taskOf, type TaskView } from './tasks.ts'

const everyMs = 5_000

/** The tasks of services, by the launch that each is for. The last known state holds on while the swarm does not answer. */
export interface Tasks {
  /** Undefined for one of which nothing is known yet. */
  known(launch: string): TaskView | undefined
  /** Looks at the tasks of one process. @throws DriverError or EngineError when the swarm does not answer. */
  look(key: string, launch: string): Promise<TaskView>
  /** All tasks of one process that may still run, of whatever launch. */
  left(key: string): Promise<TaskView[]>
  /** Looks at all of them, and from now on every few seconds. */
  follow(): Promise<void>
  close(): void
}

/** Looks at the tasks of one home. Swarm tells nobody of their states, so it has to be asked. */
export function viewTasks(engine: Engine, family: string): Tasks {
  const all = new Map<string, TaskView>()
  const ending = new AbortController()
  let following: NodeJS.Timeout | undefined
  let wasListed = false

  async function read(...wanted: string[]): Promise<TaskView[]> {
    const filters = JSON.stringify({ label: [`${labels.home}=${family}`, ...wanted] })
    const [tasks, nodes] = await Promise.all([
      engine.ask<SwarmTask[]>('GET', '/tasks', { query: { filters } }),
      engine.ask<SwarmNode[]>('GET', '/nodes'),
    ])
    const found = nodesOf(nodes)
    return tasks.map((task) => taskOf(task, found))
  }

  async function list(): Promise<void> {
    const from = performance.now()
    const found = new Map((await read()).map((task) => [task.launch, task]))
    for (const [launch, { seenAt }] of all) if (seenAt < from && !found.has(launch)) all.delete(launch)
    for (const [launch, task] of found) all.set(launch, task)
    wasListed = true
  }

  return {
    known: (launch) => all.get(launch) ?? (wasListed ? gone() : undefined),

    async look(key, launch) {
      const [task = gone()] = await read(`${labels.process}=${key}`, `${labels.launch}=${launch}`)
      all.set(launch, task)
      return task
    },

    left: async (key) => (await read(`${labels.process}=${key}`)).filter(({ isOver }) => !isOver),

    async follow() {
      if (following || ending.signal.aborted) return
      // A swarm that does not answer is asked again; who needs it now gets the reason.
      following = setInterval(() => void list().catch(() => undefined), everyMs).unref()
      await list().catch(() => undefined)
    },

    close() {
      ending.abort()
      clearInterval(following)
    },
  }
}

/** There is no such task, which it is to be seen now. */
const gone = (): TaskView => ({ launch: '', isRunning: false, isOver: true, isLost: false, seenAt: performance.now() })
