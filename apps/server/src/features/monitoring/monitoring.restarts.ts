import { type Driver, DriverError, type Restart, type Slot } from '@app/drivers'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/tables.ts'
import { Failure } from '../../platform/http/failure.ts'
import { findInstance, type InstanceRow } from '../instances/index.ts'

export interface RestartsDependencies {
  read: Db
  clock: Clock
  log: Logger
  driver: Driver
  revive(instance: Pick<InstanceRow, 'id' | 'team_id'>, again: { safe: boolean }): Promise<void>
  /** Starts one of two processes; `isWanted` is asked once it has. */
  reviveOne(id: string, slot: Slot, again: { safe: boolean }, isWanted: () => Promise<boolean>): Promise<void>
}

/** Between two looks while something is due: the clock may be turned, and an operation may be under way. */
const lookMs = 1_000

/** The next restart, of a whole instance or of one of its processes. */
interface Plan {
  id: string
  slot?: Slot
  restart: Pick<Restart, 'at' | 'safe'>
}

/**
 * Starts crashed instances again when their driver says so. The schedule is on record with the driver: a platform
 * that starts again reads it there, so nothing of it needs to be kept here.
 */
export function createRestarts({ read, clock, log, driver, revive, reviveOne }: RestartsDependencies) {
  const planned = new Map<string, Plan>()
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> = Promise.resolve()
  let stopped = false

  function wait(): void {
    clearTimeout(timer)
    if (stopped || planned.size === 0) return
    const next = Math.min(...[...planned.values()].map(({ restart }) => restart.at - clock.now()))
    const begin = () => {
      round = look()
    }
    timer = setTimeout(begin, Math.min(Math.max(next, 0), lookMs))
  }

  async function look(): Promise<void> {
    for (const [key, plan] of planned) {
      if (stopped || plan.restart.at > clock.now()) continue
      const isDone = await attempt(plan)
      if (isDone && planned.get(key) === plan) planned.delete(key)
      else if (!isDone) planned.set(key, { ...plan, restart: { ...plan.restart, at: clock.now() + lookMs } })
    }
    wait()
  }

  /** False: not now, but later. */
  async function attempt({ id, slot, restart: { safe } }: Plan): Promise<boolean> {
    try {
      const row = await findInstance(read, id)
      if (row?.wanted !== 'running') return true
      if (row.in_flight !== null && row.in_flight_until > clock.now()) return false
      if (slot === undefined) {
        if ((await driver.status(id)).state === 'crashed') await revive(row, { safe })
      } else if (row.replicas !== null && (await isMissing(id, slot))) {
        await reviveOne(id, slot, { safe }, () => isWanted(id))
      }
      return true
    } catch (error) {
      if (error instanceof Failure || error instanceof DriverError) return false
      log.error({ err: error, instance: id }, 'not started again after its crash')
      return false
    }
  }

  /** Has this process ended, or was it never there, while the instance is up? */
  async function isMissing(id: string, slot: Slot): Promise<boolean> {
    const members = (await driver.pair?.members(id)) ?? []
    const one = members.find((member) => member.slot === slot)
    return members.some(({ state }) => state !== 'crashed') && (!one || one.state === 'crashed')
  }

  /** An instance may have been stopped while it was being started. */
  async function isWanted(id: string): Promise<boolean> {
    const row = await findInstance(read, id)
    const isEnding = row?.in_flight === 'suspending' || row?.in_flight === 'stopping'
    return row?.wanted === 'running' && row.replicas !== null && !isEnding
  }

  function put(plan: Plan): void {
    planned.set(`${plan.id} ${plan.slot ?? ''}`, plan)
    wait()
  }

  return {
    plan(id: string, restart: Restart): void {
      log.warn(
        { instance: id, crashes: restart.crashes, safe: restart.safe, at: restart.at },
        'crashed, is started again',
      )
      put({ id, restart })
    },
    /** One of two processes is to be started, the other going on. */
    planOne(id: string, slot: Slot, restart: Pick<Restart, 'at' | 'safe'>): void {
      log.warn({ instance: id, slot, safe: restart.safe, at: restart.at }, 'one of two processes is started again')
      put({ id, slot, restart })
    },
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await round
    },
  }
}
