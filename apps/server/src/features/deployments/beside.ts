import type { Takeover, TakeoverPlan } from '@app/contract'
import { type Driver, DriverError, type Hold, otherOf, type Slot, slots } from '@app/drivers'
import type { Lifecycle, WholeInstance } from '../instances/index.ts'
import { type Judged, memberOf, onTrial } from './gate.ts'

/**
 * Judges what was started. `half`: for half of the time that it must stay up. `briefly`: only whether it runs, without
 * waiting and without its check.
 */
export type Passes = (judged: Judged, how?: 'half' | 'briefly') => Promise<void>
/** Notes the counts once one version acts in the place of the other. */
type Tell = (counts: Pick<Takeover, 'gapMs' | 'late'>) => Promise<void>

/** How new contents come into an instance that serves all the while. */
export interface WayIn {
  /**
   * Starts the instance as it is written now, has it judged, and ends what ran before. Done once more after a kill, it
   * ends the same.
   * @returns false, with nothing touched, where it cannot be done without stopping the instance.
   * @throws DriverError when it does not pass; what ran before still serves then.
   */
  enter(passes: Passes): Promise<boolean>
  /** After that, with what was there before written again: does the instance run as it did? `row` as it is now. */
  back(row: WholeInstance): Promise<boolean>
}

/** The part of a new version that is held until it takes over, by the way it does. */
const holds: Partial<Record<TakeoverPlan['way'], Hold>> = { held: 'inputs', 'stop-first': 'flows' }
/** How a version is judged before it acts: held flows once more when they do, since some faults show only then. */
const judgings: Partial<Record<TakeoverPlan['way'], 'half' | 'briefly'>> = { held: 'half', 'stop-first': 'briefly' }

/** Puts new contents into instances without stopping them. */
export function createBeside({ driver, lifecycle }: { driver: Driver; lifecycle: Lifecycle }) {
  const { running } = lifecycle

  /** Starts the new beside the old, which it replaces from one request to the next once it has passed. */
  function beside(row: WholeInstance, { way }: Pick<TakeoverPlan, 'way'>, tell: Tell): WayIn {
    const { id } = row
    const pair = driver.pair!
    const hold = holds[way]
    let servedSince: number | undefined

    /** Stops the flows that serve and lets the new ones act. @throws DriverError when they cannot. */
    async function change(old: Slot, passes: Passes): Promise<void> {
      const slot = otherOf(old)
      const before = await pair.opens(id, old)
      await running.drain(id, old)
      const since = await pair.pause(id, old)
      const { at, late, refused } = await pair.release(id, slot, since)
      const lost = refused.find((name) => before?.listens.includes(name))
      if (lost !== undefined)
        throw new DriverError('not_listening', `It cannot listen on ${lost}, where the version before does.`)
      await tell({ gapMs: Math.max(0, at - since), late })
      // Flows that were not started could not be judged before.
      await passes(memberOf(pair, id, slot), hold === 'flows' ? undefined : 'half')
    }

    return {
      async enter(passes) {
        servedSince = (await driver.status(id)).lastStartTime
        try {
          await pair.startBeside(await running.specBeside(row), hold)
          const trial = onTrial(pair, id)
          await passes(trial, judgings[way])
        } catch (error) {
          await pair.discard(id)
          if (error instanceof DriverError && error.code === 'not_beside') return false
          throw error
        }
        // After a kill from here on `adopt` leaves the new one.
        const old = await pair.takeOver(id)
        if (hold && old !== undefined)
          try {
            await change(old, passes)
          } catch (error) {
            // Where the flows before cannot be started again either, the instance is started anew on them.
            await pair.giveBack(id).catch(async () => driver.stop(id))
            running.keep(id, old)
            throw error
          }
        await running.note(row)
        if (old !== undefined) await running.retire(id, old)
        return true
      },
      back: async () => (await driver.status(id)).lastStartTime === servedSince,
    }
  }

  /** Of two processes replaces one after the other. The first is judged before it gets a request. */
  function inTurn(row: WholeInstance, { way }: Pick<TakeoverPlan, 'way'>): WayIn {
    const { id } = row
    const pair = driver.pair!
    // The flows of the process that was in the same place are stopped by then.
    const hold = way === 'held' ? holds.held : undefined
    /** One that does not serve comes first. */
    const serves = (slot: Slot) => pair.serving(id).some((one) => one.slot === slot)
    const order = slots.toSorted((a, b) => Number(serves(a)) - Number(serves(b)))
    let passed = 0
    return {
      async enter(passes) {
        await running.roll(row, () => undefined, {
          slots: order,
          hold,
          async passes(slot) {
            const judged = memberOf(pair, id, slot)
            await (passed === 0 ? passes(judged) : passes(judged, 'briefly'))
            passed += 1
          },
        })
        return true
      },
      async back(before) {
        try {
          await running.roll(before, () => undefined, { slots: order.slice(0, passed + 1).toReversed() })
          return true
        } catch (error) {
          if (error instanceof DriverError) return false
          throw error
        }
      },
    }
  }

  return {
    /**
     * By a plan that was made before anything was touched; `tell` is told how it went. Undefined for what does not serve,
     * and where there is no other way than to stop it.
     */
    wayIn(row: WholeInstance, plan: TakeoverPlan | undefined, tell: Tell): WayIn | undefined {
      const serving = driver.pair?.serving(row.id).length ?? 0
      if (row.access === null || serving === 0) return undefined
      const chosen = plan ?? { way: 'beside' as const }
      if (row.replicas !== null) return inTurn(row, chosen)
      return serving === 1 ? beside(row, chosen, tell) : undefined
    },
  }
}
