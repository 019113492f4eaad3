import { AgentError } from '../agent.errors.ts'
import type { Log } from '../agent.log.ts'
import type { Front } from '../nodered/front.ts'
import type { Runtime } from '../nodered/runtime.ts'
import type { StateStore } from '../targets/state.store.ts'
import type { WishStore } from './wishes.store.ts'
import type { Work } from './work.ts'

interface ActionsDependencies {
  runtime: Runtime
  store: StateStore
  wishes: WishStore
  front: Front
  work: Work
  log: Log
  /** Checks in soon. */
  wake(): void
}

export type Actions = ReturnType<typeof createActions>

/** Starts, restarts and suspends the flows of this device when people tell it to. */
export function createActions({ runtime, store, wishes, front, work, log, wake }: ActionsDependencies) {
  const hasFlows = () => store.get().active?.snapshot != null

  /** Requests wait until the flows are back. */
  async function restart(): Promise<void> {
    front.hold()
    try {
      await runtime.restart({ staysSafe: false })
    } finally {
      front.open()
    }
  }

  const tasks = { start: runtime.start, restart, suspend: runtime.stop }
  type Action = keyof typeof tasks

  return {
    /**
     * Begins an action; its end shows in the reports.
     * @throws AgentError with a sentence when it cannot be done now.
     */
    begin(action: unknown): void {
      if (typeof action !== 'string' || !Object.hasOwn(tasks, action))
        throw new AgentError('unknown_action', 'This agent does not know the action.')
      if (work.isBusy()) throw new AgentError('busy', 'Its flows are being changed. Try again when that has ended.')
      if (action === 'restart' && !hasFlows())
        throw new AgentError('no_flows', 'It has no flows: no target snapshot is assigned to it.')
      wishes.change({ suspended: action === 'suspend' })
      log.info(`The platform asks to ${action} the flows`)
      work
        .run(tasks[action as Action])
        .catch((error: Error) => log.error(`The flows did not ${action}: ${error.message}`))
        .finally(wake)
    },
  }
}
