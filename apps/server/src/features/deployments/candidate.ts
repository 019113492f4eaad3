import type { Takeover, TakeoverPlan } from '@app/contract'
import { type Driver, DriverError, type Hold, otherOf, type Slot, slots } from '@app/drivers'
import { type Lifecycle, untilStarted, type WholeInstance } from '../instances/index.ts'
import { type Judged, memberOf, onTrial, serving } from './start.check.ts'

/** How a process is judged; without any of these, for the time that it must stay up, with its check and its errors. */
export interface Judging {
  /** The part of that time. */
  share?: number
  /** Its inputs are closed while the version before serves (`beside`), or while nothing does (`alone`). */
  inputs?: 'beside' | 'alone'
  /** Only whether it runs, without its check and its errors. */
  isBrief?: boolean
  /** Which of two processes it is, of which both are judged. */
  member?: 'first' | 'second'
}
/** Judges what was started. @throws DriverError when it does not pass. */
export type Passes = (judged: Judged, how?: Judging) => Promise<void>
/** The counts of a takeover in which one version acts at a time. */
export type Counts = Pick<Takeover, 'gapMs' | 'late' | 'dropped'>
/** Notes the counts once one version acts in the place of the other. */
type Tell = (counts: Counts) => Promise<void>

/** How new contents come into an instance that serves all the while. */
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

/** The part of a new version that is held until it takes over, by the way it does. */
const holds: Partial<Record<TakeoverPlan['way'], Hold>> = { held: 'inputs', 'stop-first': 'flows' }
/** How a version is judged while the other serves, and once it acts, since some faults show only then. */
const judgings: Record<Hold, { beside: Judging; acting: Judging }> = {
  inputs: { beside: { share: 0.5, inputs: 'beside' }, acting: { share: 0.5 } },
  flows: { beside: { isBrief: true }, acting: {} },
}

const notListening = (name: string) =>
  new DriverError('not_listening', `It cannot listen on ${name}, where the version before does.`)

/** Puts new contents into instances without stopping them. */
export function createCandidate({ driver, lifecycle }: { driver: Driver; lifecycle: Lifecycle }) {
  const { running } = lifecycle

  /** Starts the new beside the old, which it replaces from one request to the next once it has passed. */
  function beside(row: WholeInstance, { way }: Pick<TakeoverPlan, 'way'>, tell: Tell): WayIn {
    const { id } = row
    const pair = driver.pair!
    const hold = holds[way]
    let from: number | undefined
    /** Since when no flows act, and how long that was before. */
    let stillSince: number | undefined
    let gapMs = 0

    /** Stops the flows that serve. Returns since when they do not act, and what they had open. */
    async function stopOld(old: Slot) {
      const before = await pair.opens(id, old)
      await running.drain(id, old)
      const since = await pair.pause(id, old)
      stillSince = since
      return { since, listened: before?.listens ?? [] }
    }

    /** Lets the new flows act in the place of those that were stopped. @throws DriverError when they cannot. */
    async function act(slot: Slot, { since, listened }: Awaited<ReturnType<typeof stopOld>>): Promise<void> {
      await running.mayAct()
      const { at, late, dropped, refused } = await pair.release(id, slot, since)
      const lost = refused.find((name) => listened.includes(name))
      if (lost !== undefined) throw notListening(lost)
      gapMs += Math.max(0, at - since)
      stillSince = undefined
      await tell({ gapMs, late, dropped })
    }

    /** Where the flows before cannot be started again either, the instance is started anew on them. */
    async function giveBack(old: Slot): Promise<void> {
      const still = stillSince ?? Date.now()
      await pair.giveBack(id).catch(async () => driver.stop(id))
      running.keep(id, old)
      await tell({ gapMs: gapMs + Math.max(0, Date.now() - still) })
    }

    /** Lets one version act after the other. @throws DriverError when the new one does not pass; the old one acts then. */
    async function change(old: Slot, by: Hold, passes: Passes): Promise<void> {
      try {
        let stopped: Awaited<ReturnType<typeof stopOld>> | undefined
        if (by === 'flows') {
          // Before it acts, all is judged that can be: what waits cannot be told from what does nothing.
          stopped = await stopOld(old)
          await pair.startHeld(id)
          await passes(onTrial(pair, id), { share: 0, inputs: 'alone' })
        }
        // After a kill from here on `adopt` leaves the new one.
        await pair.takeOver(id)
        const slot = otherOf(old)
        await act(slot, stopped ?? (await stopOld(old)))
        await passes(memberOf(pair, id, slot), judgings[by].acting)
      } catch (error) {
        // A server that was frozen may not let them act beside those of another.
        if (!(await running.isElsewhere())) await giveBack(old)
        throw error
      }
    }

    return {
      async enter(passes) {
        from = (await driver.status(id)).lastStartTime
        const [serves] = pair.serving(id)
        try {
          await pair.startBeside(await running.candidateSpec(row), hold)
          await passes(onTrial(pair, id), hold && judgings[hold].beside)
        } catch (error) {
          await pair.discard(id)
          if (error instanceof DriverError && error.code === 'not_beside') return error.message
          throw error
        }
        const old = serves?.slot ?? 0
        if (hold) await running.takingOver(id, async () => change(old, hold, passes))
        else await pair.takeOver(id)
        await running.note(row)
        await running.retire(id, old)
        return undefined
      },
      back: async () => (await driver.status(id)).lastStartTime === from,
    }
  }

  /**
   * One that nothing serves for: it is started with its inputs closed, judged, and acts once it has passed. After a kill it
   * may run, and may act, already; none is started beside it. `stillSince`: since when nothing acts.
   */
  function alone(row: WholeInstance, stillSince: number | null, tell: Tell): WayIn {
    const { id } = row
    return {
      async enter(passes) {
        const since = stillSince ?? Date.now()
        running.close(id)
        try {
          if ((await driver.status(id)).state === 'stopped') await running.start(row, undefined, 'inputs')
          await untilStarted(driver, id)
          const [place] = driver.pair?.serving(id) ?? []
          if (place && row.replicas === null) {
            await passes(serving(driver, id), { share: 0, inputs: 'alone' })
            await running.mayAct()
            const { at, late, dropped } = await driver.pair!.release(id, place.slot, since)
            if (stillSince !== null) await tell({ gapMs: Math.max(0, at - since), late, dropped })
          }
        } finally {
          running.open(id)
        }
        await passes(serving(driver, id))
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
            await passes(memberOf(pair, id, slot), { ...held, member: member() })
          },
          // A fault that shows only once it acts must not reach the second process as well.
          async acts(slot, refused) {
            const lost = refused.find((name) => opened[slot]!.includes(name))
            if (lost !== undefined) throw notListening(lost)
            if (hold) await passes(memberOf(pair, id, slot), { ...judgings.inputs.acting, member: member() })
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
      return beside(row, plan, tell)
    },
  }
}
