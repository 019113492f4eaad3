import { DriverError } from '@app/drivers'
import { takeoverOf } from '@app/drivers/judging'
import type { Log } from '../agent.log.ts'
import type { Front } from '../nodered/front.ts'
import type { Runtime } from '../nodered/runtime.ts'
import { judge } from './judge.ts'
import type { StateStore } from './state.store.ts'
import type { TargetContents } from './target.ts'

/** How long requests under way may take before their flows are stopped. */
const drainMs = 500
/** How long a new version has to go on before the former one is given up. */
const steadyMs = 2_000

export interface DeployDependencies {
  runtime: Runtime
  front: Front
  store: StateStore
  log: Log
}
export type Deploy = ReturnType<typeof createDeploy>

/**
 * Makes a target ready beside what runs, has it judged, and lets it take over. What ran before comes back when the
 * new one does not pass. Until the last step the state on disk names the former, so a kill between any two steps leaves
 * a device that starts it.
 */
export function createDeploy({ runtime, front, store, log }: DeployDependencies) {
  const { driver } = runtime
  const pair = driver.pair!

  async function install({ target, nodered }: TargetContents): Promise<void> {
    const spec = runtime.specOf(target.id)
    if (!(await driver.hasStack(spec.stack))) {
      log.info(`Installing Node-RED ${nodered}`)
      await driver.installStack(spec.stack, () => {})
    }
    log.info(`Installing modules of ${target.name}`)
    await driver.prepareModules(spec, () => {})
  }

  /** The active target's flows, where they can be stopped and started again at once. */
  async function oldOne(): Promise<string | undefined> {
    const { active } = store.get()
    if (active?.snapshot == null) return undefined
    const { state } = await driver.status(active.id)
    if (state !== 'running' && state !== 'safe') return undefined
    return (await pair.opens(active.id, 0)) === undefined ? undefined : active.id
  }

  /** Lets the new one act in the place of the old, which is kept until the new one has passed. */
  async function takeOver(old: string, contents: TargetContents): Promise<void> {
    const { id } = contents.target
    const opens = await pair.opens(old, 0)
    const before = store.contents(old)?.flows ?? []
    const { way, why } = takeoverOf({ setting: 'auto', before, after: contents.flows, opens })
    log.info(`Starting ${contents.target.name} beside the former target. ${why}`)
    await pair.start(runtime.specOf(id), 0, way === 'stop-first' ? 'flows' : 'inputs')
    await judge(driver, id, 0)
    log.info(`Taking over with ${contents.target.name}`)
    front.hold()
    try {
      await front.drained(drainMs)
      const since = await pair.pause(old, 0)
      const { at, refused } = await pair.release(id, 0, since)
      const lost = refused.find((name) => opens?.listens.includes(name))
      if (lost !== undefined)
        throw new DriverError('not_listening', `It cannot listen on ${lost}, where the version before does.`)
      current = id
      front.open()
      log.info(`No flows acted for ${Math.max(0, at - since)} ms`)
      await judge(driver, id, steadyMs)
    } catch (error) {
      front.hold()
      await driver.stop(id)
      current = old
      await pair.giveBack(old).catch(async () => {
        await driver.stop(old)
        await driver.start(runtime.specOf(old))
      })
      throw error
    } finally {
      front.open()
    }
  }

  /** Where nothing runs that could take part in a takeover. */
  async function startAlone(contents: TargetContents): Promise<void> {
    const { active } = store.get()
    if (active) await driver.stop(active.id)
    log.info(`Starting ${contents.target.name}`)
    try {
      await driver.start(runtime.specOf(contents.target.id))
      current = contents.target.id
      await judge(driver, contents.target.id, steadyMs)
    } catch (error) {
      await driver.stop(contents.target.id)
      current = active?.id
      if (active?.snapshot != null) await driver.start(runtime.specOf(active.id))
      throw error
    }
  }

  let current = store.get().active?.id

  return {
    /** The target that answers requests now. */
    current: (): string | undefined => current,

    /**
     * Brings a target to run. @throws Error with code and sentence when it does not come up; what ran before runs then.
     */
    async deploy(contents: TargetContents): Promise<void> {
      const { target } = contents
      const former = store.get().active
      store.putContents(contents)
      store.change({ candidate: target, begun: (store.get().begun ?? 0) + 1 })
      try {
        await install(contents)
        const old = await oldOne()
        await (old === undefined ? startAlone(contents) : takeOver(old, contents))
        store.change({ active: target, candidate: undefined, begun: undefined, refused: undefined })
      } catch (error) {
        await driver.remove(target.id)
        store.drop(target.id)
        throw error
      }
      log.info(`Running ${target.name}`)
      if (former) await remove(former.id)
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

  async function remove(id: string): Promise<void> {
    await driver.remove(id)
    store.drop(id)
  }
}
