import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Logger } from 'pino'
import type { Activity } from './sleep.activity.ts'
import { type Instances, listSleepers, type Sleeper } from '../instances/index.ts'
import { effectiveSettings } from '../instance-settings/index.ts'

/** A look costs no query unless something changed. */
const lookEveryMs = 5_000

export interface SleepDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  activity: Activity
  instances: Instances
}

interface Plan {
  teamId: string
  /** When it was last started or deployed to. */
  since: number
  /** Milliseconds. */
  after: number
}

export type Sleep = ReturnType<typeof createSleep>

/**
 * Suspends instances that have been idle for as long as their settings say. Only those sleep whose flows are known to
 * miss nothing by it; whatever is not known keeps them awake.
 */
export function createSleep({ database, bus, clock, log, activity, instances }: SleepDependencies) {
  /** The running instances that may fall asleep. */
  const plans = new Map<string, Plan>()
  /** When each was last seen in another state than running. */
  const movedAt = new Map<string, number>()
  let changed: Set<string> | 'all' = 'all'
  /** Instances being put to sleep; nothing may reach them until that is recorded. */
  const falling = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined

  const stops = [
    bus.subscribe((event) => {
      if ((event.type === 'instance' || event.type === 'instance.deleted') && changed !== 'all') changed.add(event.id)
      if (event.type === 'instance' && event.state.meta.state !== 'running') movedAt.set(event.id, clock.now())
      if (event.type === 'instance.deleted') {
        movedAt.delete(event.id)
        activity.forget(event.id)
      }
    }),
    bus.onGap(() => void (changed = 'all')),
  ]

  async function plan(): Promise<void> {
    const ids = changed
    changed = new Set()
    if (ids === 'all') plans.clear()
    else if (ids.size === 0) return
    try {
      const rows = await listSleepers(database.read, ids === 'all' ? undefined : [...ids])
      if (ids !== 'all') for (const id of ids) plans.delete(id)
      for (const row of rows) {
        const after = patience(row)
        const since = Math.max(movedAt.get(row.id) ?? 0, row.flows_updated_at ?? 0)
        if (after !== undefined) plans.set(row.id, { teamId: row.team_id, since, after })
      }
    } catch (error) {
      changed = 'all'
      throw error
    }
  }

  async function look(): Promise<void> {
    await plan()
    for (const [id, { teamId, since, after }] of plans) {
      if (Math.min(activity.idleFor(id), clock.now() - since) < after) continue
      plans.delete(id)
      // From here on until this is recorded, requests to it wait.
      const fall = instances.sleep({ id, team_id: teamId }).catch((error: unknown) => {
        log.info({ err: error, instance: id }, 'stays awake')
      })
      falling.set(id, fall)
      await fall
      falling.delete(id)
    }
  }

  const check = (): Promise<void> =>
    (looking ??= look().finally(() => {
      looking = undefined
    }))

  return {
    /** Puts to sleep what has been idle for long enough. */
    check,
    /** Resolves once it is recorded that this instance falls asleep; undefined when it does not. */
    falling: (id: string): Promise<void> | undefined => falling.get(id),
    start(): void {
      timer = setInterval(() => {
        check().catch((error: unknown) => log.warn({ err: error }, 'idle instances not checked'))
      }, lookEveryMs)
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      for (const stop of stops) stop()
      await looking?.catch(() => undefined)
    },
  }
}

/** After how many idle milliseconds an instance may fall asleep; undefined when it must not. */
function patience(row: Sleeper): number | undefined {
  if (row.wanted !== 'running' || row.in_flight !== null || row.sleep_obstacle !== null) return undefined
  const { sleep } = effectiveSettings(row)
  return sleep?.enabled && sleep.after !== undefined ? sleep.after * 1000 : undefined
}
