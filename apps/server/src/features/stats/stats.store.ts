import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/tables.ts'

export type Period = 'hour' | 'day'

export interface PointRow {
  period: Period
  /** Beginning of the period, milliseconds. */
  at: number
  users: number
  teams: number
  instances: number
  devices: number
  /** JSON: how many instances are in each state. */
  states: string
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    stats_points: PointRow
    licence_overages: { resource: string; told_at: number }
  }
}

export interface Counts {
  users: number
  admins: number
  invitations: number
  teams: number
  devices: number
  states: Record<string, number>
}

/** The state shown is that of docs/specification/states.md, in the words of the database. */
const shown = (now: number) =>
  sql<string>`case when in_flight is not null and in_flight_until > ${now} then in_flight
    when wanted = 'suspended' then 'suspended' else observed end`

/** Counts of everything at this time, in three queries however much there is. */
export async function countAll(db: Db, now: number): Promise<Counts> {
  const people = await db
    .selectFrom('users')
    .select((count) => [count.fn.countAll<number>().as('users'), count.fn.sum<number>('admin').as('admins')])
    .executeTakeFirstOrThrow()
  const { teams, invitations, devices } = await db
    .selectNoFrom((from) => [
      from
        .selectFrom('teams')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('teams'),
      from
        .selectFrom('devices')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('devices'),
      from
        .selectFrom('invitations')
        .where('expires_at', '>', now)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('invitations'),
    ])
    .executeTakeFirstOrThrow()
  const states = await db
    .selectFrom('instances')
    .select((count) => [shown(now).as('state'), count.fn.countAll<number>().as('n')])
    .where('deleted_at', 'is', null)
    .groupBy('state')
    .execute()
  return {
    users: Number(people.users),
    admins: Number(people.admins ?? 0),
    invitations: Number(invitations ?? 0),
    teams: Number(teams ?? 0),
    devices: Number(devices ?? 0),
    states: Object.fromEntries(states.map(({ state, n }) => [state, Number(n)])),
  }
}

/** Keeps the first count of a period; false when there is one. */
export async function insertPoint(tx: Tx, row: PointRow): Promise<boolean> {
  const result = await tx
    .insertInto('stats_points')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function removePoints(tx: Tx, period: Period, before: number): Promise<void> {
  await tx.deleteFrom('stats_points').where('period', '=', period).where('at', '<', before).execute()
}

/** Oldest first. */
export async function listPoints(db: Db, period: Period, from: number): Promise<PointRow[]> {
  return db
    .selectFrom('stats_points')
    .selectAll()
    .where('period', '=', period)
    .where('at', '>=', from)
    .orderBy('at')
    .execute()
}

/** The resources whose overage was told after `since`. */
export async function listTold(db: Db, since: number): Promise<string[]> {
  const rows = await db.selectFrom('licence_overages').select('resource').where('told_at', '>', since).execute()
  return rows.map(({ resource }) => resource)
}

export async function writeTold(tx: Tx, resource: string, at: number): Promise<void> {
  await tx
    .insertInto('licence_overages')
    .values({ resource, told_at: at })
    .onConflict((conflict) => conflict.column('resource').doUpdateSet({ told_at: at }))
    .execute()
}
