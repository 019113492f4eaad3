import { type Driver, DriverError, type Slot, slots } from '@app/drivers'
import type { Lifecycle, WholeInstance } from '../instances/index.ts'
import { type Judged, memberOf, onTrial } from './gate.ts'

/** `briefly`: the same contents have passed in another process. */
type Passes = (judged: Judged, briefly?: 'briefly') => Promise<void>

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

/** Puts new contents into instances without stopping them. */
export function createBeside({ driver, lifecycle }: { driver: Driver; lifecycle: Lifecycle }) {
  const { running } = lifecycle

  /** Starts the new beside the old, which it replaces from one request to the next once it has passed. */
  function beside(row: WholeInstance): WayIn {
    const { id } = row
    const pair = driver.pair!
    let servedSince: number | undefined
    return {
      async enter(passes) {
        servedSince = (await driver.status(id)).lastStartTime
        try {
          await pair.startBeside(await running.specBeside(row))
          await passes(onTrial(pair, id))
        } catch (error) {
          await pair.discard(id)
          if (error instanceof DriverError && error.code === 'not_beside') return false
          throw error
        }
        // After a kill from here on `adopt` leaves the new one.
        const old = await pair.takeOver(id)
        await running.note(row)
        if (old !== undefined) await running.retire(id, old)
        return true
      },
      back: async () => (await driver.status(id)).lastStartTime === servedSince,
    }
  }

  /** Of two processes replaces one after the other. The first is judged before it gets a request. */
  function inTurn(row: WholeInstance): WayIn {
    const { id } = row
    const pair = driver.pair!
    /** One that does not serve comes first. */
    const serves = (slot: Slot) => pair.serving(id).some((one) => one.slot === slot)
    const order = slots.toSorted((a, b) => Number(serves(a)) - Number(serves(b)))
    let passed = 0
    return {
      async enter(passes) {
        await running.roll(row, () => undefined, {
          slots: order,
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
    /** Undefined for what does not serve, and where there is no other way than to stop it. */
    wayIn(row: WholeInstance): WayIn | undefined {
      const serving = driver.pair?.serving(row.id).length ?? 0
      if (row.access === null || serving === 0) return undefined
      if (row.replicas !== null) return inTurn(row)
      return serving === 1 ? beside(row) : undefined
    },
  }
}
