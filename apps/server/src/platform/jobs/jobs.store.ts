import type { Job, JobStep } from '@app/contract'
import { sql } from 'kysely'
import { iso } from '../clock.ts'
import type { Db, Tx } from '../db/tables.ts'

export interface JobRow {
  id: string
  kind: string
  title: string
  /** What the job works on; one job at a time may be open for a subject. */
  subject: string
  team_id: string
  state: Job['state']
  payload: string
  steps: string
  error: string | null
  created_at: number
  started_at: number | null
  ended_at: number | null
  lease_owner: string | null
  lease_until: number
}

declare module '../db/tables.ts' {
  interface Tables {
    jobs: JobRow
  }
}

/** False when another job is open for the same subject. */
export async function insertJob(tx: Tx, row: JobRow): Promise<boolean> {
  const result = await tx
    .insertInto('jobs')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/**
 * The oldest job that nobody works on, marked with this lease until `until`; undefined when there is none.
 * Every claim has a lease of its own, so that even the same process cannot go on under a former one.
 */
export async function claimJob(
  tx: Tx,
  lease: string,
  times: { now: number; until: number },
  own: readonly string[],
  postgres: boolean,
): Promise<JobRow | undefined> {
  const { now, until } = times
  let open = tx
    .selectFrom('jobs')
    .select('id')
    .where('state', 'in', ['queued', 'running'])
    .where('lease_until', '<', now)
    .orderBy('id')
    .limit(1)
  // After a long sleep our leases are over while we still work.
  if (own.length > 0) open = open.where('id', 'not in', own)
  const found = await (postgres ? open.forUpdate().skipLocked() : open).executeTakeFirst()
  if (!found) return undefined
  return tx
    .updateTable('jobs')
    .set({ state: 'running', lease_owner: lease, lease_until: until, started_at: sql`coalesce(started_at, ${now})` })
    .where('id', '=', found.id)
    .returningAll()
    .executeTakeFirst()
}

export async function hasOpenJob(tx: Tx, subject: string, postgres: boolean): Promise<boolean> {
  const open = tx
    .selectFrom('jobs')
    .select('id')
    .where('subject', '=', subject)
    .where('state', 'in', ['queued', 'running'])
  return (await (postgres ? open.forUpdate() : open).executeTakeFirst()) !== undefined
}

/** Writes progress of a job we hold; false when the lease was lost and another process goes on with it. */
export async function saveJob(tx: Tx, lease: string, id: string, change: Partial<JobRow>): Promise<boolean> {
  const result = await tx
    .updateTable('jobs')
    .set(change)
    .where('id', '=', id)
    .where('lease_owner', '=', lease)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Prolongs the leases of the jobs that are being worked on. */
export async function renewLeases(db: Db, leases: readonly string[], until: number): Promise<void> {
  if (leases.length === 0) return
  await db.updateTable('jobs').set({ lease_until: until }).where('lease_owner', 'in', leases).execute()
}

/** Gives up leases, so that whoever comes next goes on at once; all of them when `leases` is absent. */
export async function releaseLeases(db: Db, leases?: readonly string[]): Promise<void> {
  if (leases?.length === 0) return
  const running = db.updateTable('jobs').set({ lease_until: 0, lease_owner: null }).where('state', '=', 'running')
  await (leases ? running.where('lease_owner', 'in', leases) : running).execute()
}

export async function listJobs(db: Db, subject: string, limit: number): Promise<JobRow[]> {
  return db.selectFrom('jobs').selectAll().where('subject', '=', subject).orderBy('id', 'desc').limit(limit).execute()
}

export async function deleteJobs(tx: Tx, subject: string): Promise<void> {
  await tx.deleteFrom('jobs').where('subject', '=', subject).execute()
}

export function jobView(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    title: row.title,
    state: row.state,
    createdAt: iso(row.created_at),
    ...(row.started_at === null ? {} : { startedAt: iso(row.started_at) }),
    ...(row.ended_at === null ? {} : { endedAt: iso(row.ended_at) }),
    ...(row.error === null ? {} : { error: row.error }),
    steps: JSON.parse(row.steps) as JobStep[],
  }
}
