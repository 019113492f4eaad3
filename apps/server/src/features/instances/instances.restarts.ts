import { type Driver, DriverError, type Restart } from '@app/drivers'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/tables.ts'
import { Failure } from '../../platform/http/failure.ts'
import { findInstance, type InstanceRow } from './instances.store.ts'

export interface RestartsDependencies {
  read: Db
  clock: Clock
  log: Logger
  driver: Driver
  revive(instance: Pick<InstanceRow, 'id' | 'team_id'>, again: { safe: boolean }): Promise<void>
}

/** Between two looks while something is due: the clock may be turned, and an operation may be under way. */
const lookMs = 1_000

/**
 * Starts crashed instances again when their driver says so. The schedule is on record with the driver: a platform
 * that starts again reads it there, so nothing of it needs to be kept here.
 */
export function createRestarts({ read, clock, log, driver, revive }: RestartsDependencies) {
  const planned = new Map<string, Restart>()
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> = Promise.resolve()
  let stopped = false

  function wait(): void {
    clearTimeout(timer)
    if (stopped || planned.size === 0) return
    const next = Math.min(...[...planned.values()].map(({ at }) => at - clock.now()))
    const begin = () => {
      round = look()
    }
    timer = setTimeout(begin, Math.min(Math.max(next, 0), lookMs))
  }

  async function look(): Promise<void> {
    for (const [id, restart] of planned) {
      if (stopped || restart.at > clock.now()) continue
      const isDone = await attempt(id, restart)
      if (isDone && planned.get(id) === restart) planned.delete(id)
      else if (!isDone) planned.set(id, { ...restart, at: clock.now() + lookMs })
    }
    wait()
  }

  /** False: not now, but later. */
  async function attempt(id: string, { safe }: Restart): Promise<boolean> {
    try {
      const row = await findInstance(read, id)
      if (row?.wanted !== 'running') return true
      if (row.in_flight !== null && row.in_flight_until > clock.now()) return false
      if ((await driver.status(id)).state !== 'crashed') return true
      await revive(row, { safe })
      return true
    } catch (error) {
      if (error instanceof Failure || error instanceof DriverError) return false
      log.error({ err: error, instance: id }, 'not started again after its crash')
      return false
    }
  }

  return {
    plan(id: string, restart: Restart): void {
      log.warn({ instance: id, crashes: restart.crashes, safe: restart.safe, at: restart.at }, 'crashed, starts again')
      planned.set(id, restart)
      wait()
    },
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}
