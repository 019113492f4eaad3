import { type Driver, DriverError, type InstanceStatus } from '@app/drivers'
import { setTimeout as delay } from 'node:timers/promises'
import { type Lifecycle, risen, type WholeInstance } from '../instances/index.ts'

export interface BesideDependencies {
  driver: Driver
  lifecycle: Lifecycle
  /** How long new contents must run without a crash. */
  steadySeconds: number
}

const lookMs = 100

/** Starts new contents of an instance beside what serves, which they replace once they have shown that they stay up. */
export function createBeside({ driver, lifecycle, steadySeconds }: BesideDependencies) {
  /** @throws DriverError when what is on trial ends within this time. */
  async function staysUp(look: () => Promise<InstanceStatus>, ms: number): Promise<void> {
    for (const until = Date.now() + ms; Date.now() < until; await delay(lookMs)) {
      const { state, reason } = await look()
      if (state !== 'running') throw new DriverError('not_steady', reason ?? `Node-RED is ${state} again`)
    }
  }

  return {
    /** Is there one process that serves, beside which another may be started? */
    mayTry: (row: WholeInstance): boolean =>
      row.replicas === null && row.access !== null && driver.pair?.serving(row.id).length === 1,

    /**
     * Starts the instance as it is written now beside what runs, sees that it stays up, has it take over from one
     * request to the next, and ends the other once it has nothing in hand. After a kill at any point `adopt` leaves
     * one of them, and the same call does it again.
     * @returns false, with nothing touched, where it cannot be done beside.
     * @throws DriverError when it does not stay up; what ran before still serves then.
     */
    async replace(row: WholeInstance): Promise<boolean> {
      const { id } = row
      const pair = driver.pair!
      try {
        await pair.startBeside(lifecycle.running.specBeside(row))
        await risen(() => pair.trial(id))
        await staysUp(() => pair.trial(id), steadySeconds * 1_000)
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
