import { sql } from 'kysely'
import type { Db } from '../../platform/db/tables.ts'
import { isOpen, isWatched } from '../../platform/jobs/jobs.store.ts'

const numberOf = (value: number | null) => (value === null ? undefined : Number(value))

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

/** Names of instances and labels of stacks among what jobs work on. */
export async function namesOf(db: Db, subjects: string[]): Promise<Map<string, string>> {
  if (subjects.length === 0) return new Map()
  const instances = db.selectFrom('instances').select(['id', 'name']).where('id', 'in', subjects)
  const stacks = db.selectFrom('stacks').select(['id', 'label as name']).where('id', 'in', subjects)
  const rows = await instances.unionAll(stacks).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Open jobs by their state. */
export async function countOpenJobs(db: Db): Promise<{ state: string; n: number }[]> {
  const count = sql<number>`count(*)`.as('n')
  const rows = await db.selectFrom('jobs').select(['state', count]).where(isOpen).groupBy('state').execute()
  return rows.map(({ state, n }) => ({ state, n: Number(n) }))
}
