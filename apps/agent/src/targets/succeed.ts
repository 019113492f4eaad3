import type { DeviceTerms } from '@app/contract/device-deployment'
import type { Takeover, TakeoverPlan, TakeoverSetting } from '@app/contract/takeover'
import {
  actAlone,
  type Before,
  type Counts,
  createJudging,
  memberOf,
  type Passes,
  planOf,
  reconnected,
  takeOver,
  type Tell,
  untilStarted,
  type Verdict,
  type Versions,
} from '@app/drivers/judging'
import type { DeployDependencies } from './deploy.ts'
import { freeMemoryMb, hasRoom } from './room.ts'
import type { Target, TargetContents } from './target.ts'

/** Maximum time for requests under way before their flows are stopped. */
const requestsMs = 300
/** Nobody on a device can accept that flows do not run. */
const allowed: ReadonlySet<string> = new Set()

interface Coming {
  contents: TargetContents
  passes: Passes
  tell: Tell
}

/**
 * Starts a target that is installed, has it judged, and lets it act in the place of what runs, by the rule of instances.
 * Each target is an instance of the driver by itself. `serve`: requests go to this target from now on.
 */
export function createSucceed(
  { runtime, front, store, log }: DeployDependencies,
  serve: (id: string | undefined) => void,
) {
  const { driver } = runtime
  const pair = driver.pair!
  const release = (id: string) => async (since: number) => pair.release(id, 0, since)

  /** Starts the former target. Where that fails, it is tried again later. */
  async function startFormer(): Promise<void> {
    await runtime.start().catch((error: Error) => log.error(`Node-RED was not started: ${error.message}`))
  }

  /** The target whose Node-RED answers, if any. */
  async function serving(): Promise<string | undefined> {
    const { active } = store.get()
    if (active?.snapshot == null) return undefined
    const { state } = await driver.status(active.id)
    return state === 'running' || state === 'safe' ? active.id : undefined
  }

  /** The report that the new flows are compared with. */
  async function before(old: string | undefined): Promise<Before> {
    const { active } = store.get()
    if (active?.snapshot == null) return 'none'
    const { state } = await driver.status(active.id)
    if (old !== undefined && state === 'running') return (await driver.flows(old)) ?? 'unknown'
    return state === 'crashed' || state === 'safe' ? state : 'none'
  }

  async function plan(old: string, { flows }: TargetContents, setting: TakeoverSetting): Promise<TakeoverPlan> {
    const usedMb = (await driver.usage(old))?.memoryMb ?? 0
    const freeMb = freeMemoryMb()
    if (!hasRoom(freeMb, usedMb))
      return { way: 'restart', why: `Only ${freeMb} MB of memory are free, too little for two Node-REDs at once.` }
    const opens = await pair.opens(old, 0)
    return planOf({ setting, before: store.contents(old)?.flows ?? [], after: flows, opens })
  }

  function versionsOf(old: string, { id, name }: Target): Versions {
    const judged = memberOf(pair, id, 0)
    const keptBy = async (one: string) => (await pair.opens(one, 0))?.kept ?? []
    return {
      trial: judged,
      acting: judged,
      begin: async (hold) => pair.start(runtime.specOf(id), 0, hold),
      discard: async () => driver.stop(id),
      opens: async () => pair.opens(old, 0),
      async drain() {
        front.hold()
        await front.drained(old, requestsMs)
      },
      async pause() {
        runtime.suspendRestarts()
        return pair.pause(old, 0, await keptBy(id))
      },
      startHeld: async () => pair.startHeld(id, 0),
      during: front.during,
      async takeOver() {
        log.info(`Taking over with ${name}`)
        serve(id)
      },
      async release(since) {
        const released = await release(id)(since)
        front.open()
        return released
      },
      async giveBack() {
        front.hold()
        // So that its end does not take the subscriptions of kept sessions along. One that hangs does not answer.
        if (await pair.opens(id, 0)) await pair.pause(id, 0, await keptBy(old)).catch(() => undefined)
        await driver.stop(id)
        await pair.giveBack(old).catch(async () => {
          await driver.stop(old)
          await startFormer()
        })
        serve(old)
        return true
      },
    }
  }

  /** In the place of a version that answers. */
  async function replace(old: string, way: Exclude<TakeoverPlan['way'], 'restart'>, coming: Coming): Promise<void> {
    const { target } = coming.contents
    log.info(`Starting ${target.name} beside the former target`)
    try {
      await takeOver(way, versionsOf(old, target), coming)
    } finally {
      front.open()
    }
  }

  /** Where nothing runs that could take part in a takeover. `counted`: something acted until now. */
  async function alone({ contents: { target }, passes, tell }: Coming, counted: boolean): Promise<void> {
    const { active } = store.get()
    runtime.suspendRestarts()
    const since = Date.now()
    serve(undefined)
    if (active) await driver.stop(active.id)
    log.info(`Starting ${target.name}`)
    try {
      await driver.start(runtime.specOf(target.id), 'inputs')
      const judged = memberOf(pair, target.id, 0)
      await actAlone({ judged, release: release(target.id) }, { since, counted, passes, tell })
      serve(target.id)
      await passes(judged)
    } catch (error) {
      await driver.stop(target.id)
      serve(active?.id)
      if (active?.snapshot != null) await startAgain(active.id, { since, counted, tell })
      throw error
    }
  }

  /** Its state tells that it does not start. */
  async function startAgain(id: string, { since, counted, tell }: { since: number; counted: boolean; tell: Tell }) {
    await startFormer()
    await untilStarted(driver, id).catch(() => undefined)
    if (counted) await tell({ gapMs: Math.max(0, Date.now() - since) })
  }

  /**
   * @returns the verdict on its flows. @throws DriverError when it does not pass; what ran before runs then.
   */
  return async (contents: TargetContents, terms: DeviceTerms, note: (takeover: Takeover) => void): Promise<Verdict> => {
    const old = await serving()
    const { refusesErrors, steadySeconds } = terms
    const steadyMs = steadySeconds * 1_000
    const moved = reconnected((old === undefined ? undefined : store.contents(old))?.flows ?? [], contents.flows)
    const standard = {
      host: 'localhost',
      steadyMs,
      before: await before(old),
      bringsFlows: true,
      reconnected: moved,
      allowed,
      refusesErrors,
    }
    const { passes, verdict } = createJudging({ clock: Date }, standard)
    const chosen = old === undefined ? undefined : await plan(old, contents, terms.takeover)
    if (chosen) {
      note(chosen)
      log.info(`Takeover: ${chosen.way}. ${chosen.why}`)
    }
    const tell = async (counts: Counts) => {
      if (chosen) note({ ...chosen, ...counts })
      log.info(`No flows acted for ${counts.gapMs} ms`)
    }
    const coming = { contents, passes, tell }
    if (old === undefined || !chosen || chosen.way === 'restart') await alone(coming, old !== undefined)
    else await replace(old, chosen.way, coming)
    return verdict()
  }
}
