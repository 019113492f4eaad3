import { sql } from 'kysely'
import type { Db } from '../../platform/db/tables.ts'
import { isOpen, isWatched } from '../../platform/jobs/jobs.store.ts'

const numbers = (rows: { name: string; n: number }[]) =>
  Object.fromEntries(rows.map(({ name, n }) => [name, Number(n)]))

/** How many mails were tried in vain and wait. */
export async function countWaitingMails(db: Db): Promise<number> {
  const { n } = await db
    .selectFrom('mails')
    .select(sql<number>`count(*)`.as('n'))
    .where('attempts', '>', 0)
    .executeTakeFirstOrThrow()
  return Number(n)
}

const numberOf = (value: number | null) => (value === null ? undefined : Number(value))

/** Mails that are not sent yet; `oldest` in milliseconds. */
export async function countMails(db: Db): Promise<{ waiting: number; oldest: number | undefined }> {
  const { n, oldest } = await db
    .selectFrom('mails')
    .select([sql<number>`count(*)`.as('n'), sql<number | null>`min(created_at)`.as('oldest')])
    .executeTakeFirstOrThrow()
  return { waiting: Number(n), oldest: numberOf(oldest) }
}

/** Jobs that wait, are worked on and have failed; `oldest`: since when the first waits, in milliseconds. */
export async function countJobs(db: Db) {
  const rows = await db
    .selectFrom('jobs')
    .select(['state', sql<number>`count(*)`.as('n'), sql<number>`min(created_at)`.as('oldest')])
    .where(isWatched)
    .groupBy('state')
    .execute()
  const of = (state: string) => rows.find((row) => row.state === state)
  const count = (state: string) => Number(of(state)?.n ?? 0)
  return {
    queued: count('queued'),
    running: count('running'),
    failed: count('failed'),
    oldest: numberOf(of('queued')?.oldest ?? null),
  }
}

const up = ['running', 'safe', 'starting', 'loading', 'installing']

/** How many instances should run, and how many of them do not while nothing is being done about it. */
export async function countWanted(db: Db): Promise<{ wanted: number; down: number }> {
  const row = await db
    .selectFrom('instances')
    .select([
      sql<number>`count(*)`.as('wanted'),
      sql<number>`count(case when in_flight is null and observed not in (${sql.join(up)}) then 1 end)`.as('down'),
    ])
    .where('wanted', '=', 'running')
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { wanted: Number(row.wanted), down: Number(row.down) }
}

/** Names of instances and labels of stacks among what jobs work on. */
export async function namesOf(db: Db, subjects: string[]): Promise<Map<string, string>> {
  if (subjects.length === 0) return new Map()
  const instances = db.selectFrom('instances').select(['id', 'name']).where('id', 'in', subjects)
  const stacks = db.selectFrom('stacks').select(['id', 'label as name']).where('id', 'in', subjects)
  const rows = await instances.unionAll(stacks).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** How much there is, for figures. */
export async function countAll(db: Db) {
  const one = async (table: 'users' | 'teams') =>
    Number((await db.selectFrom(table).select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow()).n)
  const instances = await db
    .selectFrom('instances')
    .select(['observed as name', sql<number>`count(*)`.as('n')])
    .where('deleted_at', 'is', null)
    .groupBy('observed')
    .execute()
  const jobs = await db
    .selectFrom('jobs')
    .select(['state as name', sql<number>`count(*)`.as('n')])
    .where(isOpen)
    .groupBy('state')
    .execute()
  return { users: await one('users'), teams: await one('teams'), instances: numbers(instances), jobs: numbers(jobs) }
}
