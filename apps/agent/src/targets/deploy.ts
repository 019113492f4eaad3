import type { DeviceTerms } from '@app/contract/device-deployment'
import type { Takeover } from '@app/contract/takeover'
import type { Verdict } from '@app/drivers/judging'
import type { Log } from '../agent.log.ts'
import type { History } from '../logs/history.ts'
import type { Front } from '../nodered/front.ts'
import type { Runtime } from '../nodered/runtime.ts'
import type { StateStore } from './state.store.ts'
import { createSucceed } from './succeed.ts'
import { doneOf, type TargetContents } from './target.ts'

/** Maximum time for a replaced version to finish the requests it has. */
const drainMs = 5_000

export interface DeployDependencies {
  runtime: Runtime
  front: Front
  store: StateStore
  log: Log
  /** Keeps the last lines of a target that is removed. */
  history: Pick<History, 'keep'>
}
export type Deploy = ReturnType<typeof createDeploy>

/**
 * Makes a target ready beside what runs, has it judged, and lets it take over. What ran before comes back when the
 * new one does not pass. Until the last step the state on disk names the former, so a kill between any two steps leaves
 * a device that starts it.
 */
export function createDeploy(deps: DeployDependencies) {
  const { runtime, front, store, log, history } = deps
  const { driver } = runtime
  let current = store.get().active?.id
  const succeed = createSucceed(deps, (id) => (current = id))

  async function install({ target, nodered }: TargetContents): Promise<void> {
    const spec = runtime.specOf(target.id)
    if (!(await driver.hasStack(spec.stack))) {
      log.info(`Installing Node-RED ${nodered}`)
      await driver.installStack(spec.stack, () => {})
    }
    log.info(`Installing modules of ${target.name}`)
    await driver.prepareModules(spec, () => {})
  }

  async function remove(id: string): Promise<void> {
    await history.keep(id)
    await driver.remove(id)
    store.drop(id)
  }

  return {
    /** The target that answers requests now. */
    current: (): string | undefined => current,

    /**
     * Brings a target to run; `tell` is told how it takes over, and what that cost.
     * @throws Error with code and sentence when it does not come up; what ran before runs then.
     */
    async deploy(contents: TargetContents, terms: DeviceTerms, tell: (takeover: Takeover) => void): Promise<void> {
      const { target } = contents
      const former = store.get().active
      let takeover: Takeover | undefined
      let verdict: Verdict
      store.putContents(contents)
      store.change({ candidate: target, begun: (store.get().begun ?? 0) + 1 })
      try {
        await install(contents)
        verdict = await succeed(contents, terms, (now) => tell((takeover = now)))
      } catch (error) {
        await remove(target.id)
        await runtime.resumeRestarts()
        throw error
      }
      const lastDeployment = doneOf(target, { takeover, ...verdict })
      store.change({ active: target, candidate: undefined, begun: undefined, refused: undefined, lastDeployment })
      await runtime.resumeRestarts()
      log.info(`Running ${target.name}`)
      if (!former) return
      await front.drained(former.id, drainMs)
      await remove(former.id)
    },

    /** Stops the flows: the device shall run nothing. Files and context stay. */
    async clear(project: string | null, settings: string | null): Promise<void> {
      const { active } = store.get()
      store.change({
        active: { id: 'nothing', project, snapshot: null, name: 'nothing', settings },
        candidate: undefined,
        begun: undefined,
        refused: undefined,
      })
      current = undefined
      if (active && active.snapshot !== null) {
        log.info('The platform assigned nothing to this device: stopping the flows')
        await remove(active.id)
      }
    },
  }
}
