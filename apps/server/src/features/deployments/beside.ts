import { type Driver, DriverError } from '@app/drivers'
import type { Lifecycle, WholeInstance } from '../instances/index.ts'
import { type Judged, onTrial } from './gate.ts'

/** Starts new contents of an instance beside what serves, which they replace once they have passed. */
export function createBeside({ driver, lifecycle }: { driver: Driver; lifecycle: Lifecycle }) {
  return {
    /** Is there one process that serves, beside which another may be started? */
    mayTry: (row: WholeInstance): boolean =>
      row.replicas === null && row.access !== null && driver.pair?.serving(row.id).length === 1,

    /**
     * Starts the instance as it is written now beside what runs, has it judged, has it take over from one request to
     * the next, and ends the other once it has nothing in hand. After a kill at any point `adopt` leaves one of them,
     * and the same call does it again.
     * @returns false, with nothing touched, where it cannot be done beside.
     * @throws DriverError when it does not pass; what ran before still serves then.
     */
    async replace(row: WholeInstance, passes: (judged: Judged) => Promise<void>): Promise<boolean> {
      const { id } = row
      const pair = driver.pair!
      try {
        await pair.startBeside(lifecycle.running.specBeside(row))
        await passes(onTrial(pair, id))
      } catch (error) {
        await pair.discard(id)
        if (error instanceof DriverError && error.code === 'not_beside') return false
        throw error
      }
      const old = await pair.takeOver(id)
      if (old !== undefined) await lifecycle.running.retire(id, old)
      return true
    },
  }
}
