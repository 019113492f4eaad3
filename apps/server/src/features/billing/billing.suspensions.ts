import type { Logger } from 'pino'
import { systemActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { Failure } from '../../platform/http/failure.ts'
import type { Instances } from '../instances/index.ts'
import { deleteSuspension, insertSuspension, listPaidAgain, listUnpaid } from './suspensions.store.ts'

export interface SuspensionDependencies {
  database: Database
  clock: Clock
  log: Logger
  instances: Pick<Instances, 'launch'>
}

/** One look takes so many; the next one takes the rest. */
const batch = 50

export type BillingSuspensions = ReturnType<typeof createBillingSuspensions>

/** Suspends the instances of teams whose subscription or trial has ended, and starts them again once they pay. */
export function createBillingSuspensions({ database, clock, log, instances }: SuspensionDependencies) {
  const bySystem = { actor: systemActor }

  /** An instance that somebody works on just now is taken up by the next look. */
  async function attempt(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      log.info({ instance: id, reason: error.message }, 'instance left for the next look')
    }
  }

  return {
    async check(): Promise<void> {
      for (const instance of await listUnpaid(database.read, batch)) {
        const change = { state: 'suspending', kind: 'instance.suspend', from: 'any', background: true } as const
        await attempt(instance.id, () =>
          instances.launch(instance, change, bySystem, (tx) => insertSuspension(tx, instance, clock.now())),
        )
      }
      for (const instance of await listPaidAgain(database.read, batch)) {
        const forget = () => database.transact((tx) => deleteSuspension(tx, instance.id))
        // Somebody started it already.
        if (instance.wanted !== 'suspended') await forget()
        const change = { state: 'starting', kind: 'instance.start', from: 'idle', background: true } as const
        if (instance.wanted === 'suspended')
          await attempt(instance.id, () =>
            instances.launch(instance, change, bySystem, (tx) => deleteSuspension(tx, instance.id)),
          )
      }
    },
  }
}
