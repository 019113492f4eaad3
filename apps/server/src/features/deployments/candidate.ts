import type { TakeoverPlan } from '@app/contract'
import { type Driver, DriverError, otherOf, type Slot, slots } from '@app/drivers'
import {
  actAlone,
  holds,
  type Judging,
  judgings,
  memberOf,
  notListening,
  onTrial,
  type Passes,
  serving,
  takeOver,
  type Tell,
  untilStarted,
  type Versions,
} from '@app/drivers/judging'
import type { Lifecycle, WholeInstance } from '../instances/index.ts'
import { named as namedReplica, passAll } from './judging.replicas.ts'

/** Replacement of the contents of an instance that serves all the while. */
export interface WayIn {
  /**
   * Starts the instance as it is written now, has it judged, and ends what ran before. Done once more after a kill, it
   * ends the same.
   * @returns why it cannot be done without stopping the instance, with nothing touched; undefined once it is done.
   * @throws DriverError when it does not pass; what ran before still serves then.
   */
  enter(passes: Passes): Promise<string | undefined>
  /** After that, with what was there before written again: does the instance run as it did? `row` as it is now. */
  back(row: WholeInstance): Promise<boolean>
}

/** Puts new contents into instances without stopping them. */
export function createCandidate({ driver, lifecycle }: { driver: Driver; lifecycle: Lifecycle }) {
  const { running } = lifecycle

  /** Starts the new beside the old, which it replaces from one request to the next once it has passed. */
  function inParallel(row: WholeInstance, way: Exclude<TakeoverPlan['way'], 'restart'>, tell: Tell): WayIn {
    const { id } = row
    const pair = driver.pair!
    let from: number | undefined
    const versionsWith = (old: Slot): Versions => ({
      begin: async (hold) => pair.startCandidate(await running.candidateSpec(row), hold),
      trial: onTrial(pair, id),
      acting: memberOf(pair, id, otherOf(old)),
      discard: async () => pair.discard(id),
      opens: async () => pair.opens(id, old),
      drain: async () => running.drain(id, old),
      pause: async () => pair.pause(id, old),
      startHeld: async () => pair.startHeld(id),
      during: async (change) => running.takingOver(id, change),
      // After a kill from here on `adopt` leaves the new one.
      async takeOver() {
        await pair.takeOver(id)
        running.moved(id)
      },
      async release(since) {
        await running.mayAct()
        return pair.release(id, otherOf(old), since)
      },
      /** Where the flows before cannot be started again either, the instance is started anew on them. */
      async giveBack() {
        // A server that was frozen may not let them act beside those of another.
        if (await running.isElsewhere()) return false
        try {
          await pair.giveBack(id).catch(async () => driver.stop(id))
        } finally {
          running.keep(id, old)
        }
        return true
      },
    })

    return {
      async enter(passes) {
        from = (await driver.status(id)).lastStartTime
        const old = pair.serving(id)[0]?.slot ?? 0
        try {
          await takeOver(way, versionsWith(old), { passes, tell })
        } catch (error) {
          if (error instanceof DriverError && error.code === 'not_beside') return error.message
          throw error
        }
        await running.note(row)
        await running.retire(id, old)
        return undefined
      },
      // A process whose flows could not be started again runs, and serves nobody.
      back: async () => pair.serving(id).length > 0 && (await driver.status(id)).lastStartTime === from,
    }
  }

  /**
   * One that nothing serves for: it is started with its inputs closed, judged, and acts once it has passed. After a kill it
   * may run, and may act, already; none is started beside it. `stillSince`: since when nothing acts.
   */
  function alone(row: WholeInstance, stillSince: number | null, tell: Tell): WayIn {
    const { id } = row
    /** A kill may have come between the starts of two processes. */
    async function isStarted(): Promise<boolean> {
      const { state, members = [] } = await driver.status(id)
      return state !== 'stopped' && (row.replicas === null || !driver.pair || members.length === slots.length)
    }
    return {
      async enter(passes) {
        const since = stillSince ?? Date.now()
        running.close(id)
        try {
          if (!(await isStarted())) await running.start(row, undefined, 'inputs')
          await untilStarted(driver, id, { isJudged: true })
          const [place] = driver.pair?.serving(id) ?? []
          if (place && row.replicas === null) {
            const release = async (from: number) => {
              await running.mayAct()
              return driver.pair!.release(id, place.slot, from)
            }
            const held = { judged: serving(driver, id), release }
            await actAlone(held, { since, counted: stillSince !== null, passes, tell })
          }
        } finally {
          running.open(id)
        }
        await passAll(driver, row, passes)
        await running.note(row)
        return undefined
      },
      back: async () => false,
    }
  }

  /**
   * Replaces two processes one after the other. Each is judged before it gets a request, and again once it acts. When the
   * second does not pass, both get back what was there before.
   * `isBegun`: a server that was killed may have replaced some.
   */
  function inTurn(row: WholeInstance, { way }: Pick<TakeoverPlan, 'way'>, isBegun: boolean): WayIn {
    const { id } = row
    const pair = driver.pair!
    // The flows of the process that was in the same place are stopped by then.
    const hold = way === 'beside' ? undefined : holds.held
    const held: Judging = hold ? judgings.inputs.beside : {}
    const member = () => (judged === 0 ? ('first' as const) : ('second' as const))
    /** One that does not serve comes first. */
    const serves = (slot: Slot) => pair.serving(id).some((one) => one.slot === slot)
    const order = slots.toSorted((a, b) => Number(serves(a)) - Number(serves(b)))
    let replaced = isBegun ? order.length : 0
    let judged = 0

    const named = async (slot: Slot, judge: () => Promise<void>) =>
      namedReplica({ pair, id, slot, replica: member() }, judge)

    return {
      async enter(passes) {
        // When two processes want one port, the first has it, so each has to bind only the listeners that were open
        // in its slot.
        const opened = await Promise.all(
          slots.map(async (slot) => (serves(slot) ? (await pair.opens(id, slot))?.listens : undefined) ?? []),
        )
        await running.roll(row, () => undefined, {
          slots: order,
          hold,
          async passes(slot) {
            replaced = Math.max(replaced, judged + 1)
            await named(slot, () => passes(memberOf(pair, id, slot), { ...held, member: member() }))
          },
          // A fault that shows only once it acts must not reach the second process as well.
          async acts(slot, refused) {
            await named(slot, async () => {
              const lost = refused.find((name) => opened[slot]!.includes(name))
              if (lost !== undefined) throw notListening(lost)
              if (hold) await passes(memberOf(pair, id, slot), { ...judgings.inputs.acting, member: member() })
            })
            judged += 1
          },
        })
        return undefined
      },
      async back(before) {
        try {
          await running.roll(before, () => undefined, { slots: order.slice(0, replaced).toReversed() })
          return true
        } catch (error) {
          if (error instanceof DriverError) return false
          throw error
        }
      },
    }
  }

  return {
    alone,

    /**
     * By a plan that was made before anything was touched, when what served had run since `servedSince` and nothing has
     * acted since `stillSince`; `tell` is told how it went.
     */
    async wayIn(
      row: WholeInstance,
      plan: TakeoverPlan | undefined,
      { tell, servedSince, stillSince }: { tell: Tell; servedSince: number | null; stillSince: number | null },
    ): Promise<WayIn> {
      const serve = driver.pair?.serving(row.id).length ?? 0
      if (row.access === null || serve === 0) return alone(row, stillSince, tell)
      const { lastStartTime, members = [] } = await driver.status(row.id)
      const isNew = (time: number | undefined) => servedSince !== null && time !== undefined && time > servedSince
      if (row.replicas !== null)
        return plan
          ? inTurn(row, plan, [lastStartTime, ...members.map((one) => one.lastStartTime)].some(isNew))
          : alone(row, stillSince, tell)
      // The old process is stopped by now, so whatever serves was started by this deployment, before a kill.
      if (!plan || plan.way === 'restart' || isNew(lastStartTime)) return alone(row, stillSince, tell)
      return inParallel(row, plan.way, tell)
    },
  }
}
