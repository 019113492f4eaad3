import * as z from 'zod/mini'
import { jsonColumn } from '../../platform/db/json.ts'
import type { LicenceLimits, Stats, StatsPoint } from '@app/contract'
import type { Logger } from 'pino'
import { type Actor, systemActor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { type Audit, platformScope } from '../audit/index.ts'
import {
  countAll,
  type Counts,
  insertPoint,
  listPoints,
  listTold,
  type Period,
  type PointRow,
  removePoints,
  writeTold,
} from './stats.store.ts'

const hour = 3_600_000
const day = 24 * hour
const every = 5 * 60_000
/** Retention of counts: 192 rows by the hour, 750 by the day. */
const kept: Record<Period, number> = { hour: 8 * day, day: 750 * day }
const lengths: Record<Period, number> = { hour, day }
const ranges = {
  week: { period: 'hour', length: 7 * day },
  quarter: { period: 'day', length: 90 * day },
  years: { period: 'day', length: 730 * day },
} as const
export type Range = keyof typeof ranges

export interface StatsDependencies {
  database: Database
  clock: Clock
  log: Logger
  audit: Audit
  /** The limits of the licence; undefined without one. */
  limits(): Promise<LicenceLimits | undefined>
  tokens: { forStatistics(tx: Tx): Promise<string>; endStatistics(tx: Tx): Promise<boolean> }
  /** Keeps for administrators whether there is a token. */
  noteToken(tx: Tx, present: boolean): Promise<void>
  /** Tells the vendor of the platform how much there is, where that is wanted. */
  report(): Promise<void>
}

export interface Statistics {
  now(): Promise<Stats>
  history(range: Range): Promise<StatsPoint[]>
  /** Keeps the counts of this hour and this day, unless they are kept, and tells of limits that are exceeded. */
  record(): Promise<void>
  createToken(actor: Actor): Promise<string>
  deleteToken(actor: Actor): Promise<void>
  start(): void
  stop(): Promise<void>
}

/** Counts of everything, now and over time. */
export function createStatistics(deps: StatsDependencies): Statistics {
  const { database, clock, log, audit, limits, tokens, noteToken, report } = deps
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> | undefined

  /** With a licence more than it allows is told of at once and every week, and hinders nobody. */
  async function overages(counts: Counts, now: number) {
    const most = await limits()
    if (!most) return []
    const told = await listTold(database.read, now - 7 * day)
    const present = {
      users: counts.users,
      teams: counts.teams,
      projects: total(counts.states),
      devices: counts.devices,
    }
    return (Object.keys(present) as (keyof typeof present)[]).flatMap((resource) => {
      const limit = most[resource]
      const count = present[resource]
      return limit !== null && count > limit && !told.includes(resource) ? [{ resource, count, limit }] : []
    })
  }

  async function record(): Promise<void> {
    const now = clock.now()
    const counts = await countAll(database.read, now)
    // A platform that is nobody's yet would be kept as nothing for the rest of the day.
    if (counts.users === 0) return
    const exceeded = await overages(counts, now)
    const row = {
      users: counts.users,
      teams: counts.teams,
      instances: total(counts.states),
      devices: counts.devices,
      states: JSON.stringify(counts.states),
    }
    await database.transact(async (tx) => {
      for (const period of ['hour', 'day'] as const) {
        const at = now - (now % lengths[period])
        if (await insertPoint(tx, { period, at, ...row })) await removePoints(tx, period, now - kept[period])
      }
      for (const info of exceeded) {
        await writeTold(tx, info.resource, now)
        await audit.record(tx, systemActor, 'platform.license.overage', platformScope, { info })
      }
    })
  }

  const attempt = () => {
    work ??= record()
      .then(report)
      .catch((error: unknown) => log.error({ err: error }, 'statistics not kept'))
      .finally(() => {
        work = undefined
      })
  }

  return {
    record,
    async now() {
      const { users, admins, invitations, teams, devices, states } = await countAll(database.read, clock.now())
      const most = await limits()
      return {
        userCount: users,
        maxUsers: most?.users ?? null,
        adminCount: admins,
        inviteCount: invitations,
        teamCount: teams,
        maxTeams: most?.teams ?? null,
        instanceCount: total(states),
        maxInstances: most?.projects ?? null,
        instancesByState: states,
        deviceCount: devices,
        maxDevices: most?.devices ?? null,
      }
    },
    async history(range) {
      const { period, length } = ranges[range]
      return (await listPoints(database.read, period, clock.now() - length)).map(pointView)
    },
    createToken: (actor) =>
      database.transact(async (tx) => {
        const token = await tokens.forStatistics(tx)
        await noteToken(tx, true)
        await audit.record(tx, actor, 'platform.stats-token.created', platformScope, {})
        return token
      }),
    deleteToken: (actor) =>
      database.transact(async (tx) => {
        await noteToken(tx, false)
        if (await tokens.endStatistics(tx))
          await audit.record(tx, actor, 'platform.stats-token.deleted', platformScope, {})
      }),
    start() {
      timer = setInterval(attempt, every)
      attempt()
    },
    async stop() {
      clearInterval(timer)
      await work
    },
  }
}

const total = (states: Record<string, number>): number => Object.values(states).reduce((sum, n) => sum + n, 0)

const statesOf = jsonColumn('stats_points.states', z.record(z.string(), z.number()))

function pointView({ at, users, teams, instances, devices, states }: PointRow): StatsPoint {
  return {
    at: iso(at),
    userCount: users,
    teamCount: teams,
    instanceCount: instances,
    instancesByState: statesOf(states, `the point at ${at}`),
    deviceCount: devices,
  }
}
