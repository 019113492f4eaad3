import { type Job, JobStep } from '@app/contract'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { iso } from '../clock.ts'
import { jsonColumn } from '../db/json.ts'
import type { Db, Flag, Tx } from '../db/tables.ts'

export interface JobRow {
  id: string
  kind: string
  title: string
  /** The object the job works on; one job at a time may be open for a subject. */
  subject: string
  team_id: string
  state: Job['state']
  payload: string
  steps: string
  error: string | null
  /** Jobs of one lane share its width. */
  lane: string
  /** 1 for what nobody waits for: it begins when nothing else of its lane waits. */
  background: Flag
  /** Orders the waiting jobs of a lane; each team has one job in every turn. */
  turn: number
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

const readSteps = jsonColumn('jobs.steps', z.array(JobStep))
export const stepsOf = ({ id, steps }: Pick<JobRow, 'id' | 'steps'>): JobStep[] => readSteps(steps, id)

/** Empties the payloads of a subject's jobs that hold this text. */
export async function emptyPayloads(tx: Tx, subject: string, text: string): Promise<void> {
  const holding = tx.updateTable('jobs').set({ payload: '{}' }).where('subject', '=', subject)
  await holding.where('payload', 'like', `%${text}%`).execute()
}

/**
 * Condition of jobs that have not ended. It has literals, since with parameters SQLite cannot know that the indexes of
 * open jobs hold all of them, and reads the ended ones as well.
 */
export const isOpen = sql<boolean>`state in ('queued', 'running')`
/** Condition of jobs that are open or failed, which administrators may want to see to. */
export const isWatched = sql<boolean>`state in ('queued', 'running', 'failed')`
const isQueued = sql<boolean>`${isOpen} and state = 'queued'`
const isRunning = sql<boolean>`${isOpen} and state = 'running'`

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
 * The turn of a further job of a team: the one that is up now, or the one after the team's last, so that a team with
 * fifty waiting jobs holds up one of another team by one job at most.
 */
export async function nextTurn(tx: Tx, lane: string, teamId: string): Promise<number> {
  const { waiting, working, own } = await tx
    .selectFrom('jobs')
    .where('lane', '=', lane)
    .where('background', '=', 0)
    .where(isOpen)
    .select([
      sql<number | null>`min(case when state = 'queued' then turn end)`.as('waiting'),
      sql<number | null>`max(case when state = 'running' then turn end)`.as('working'),
      sql<number | null>`max(case when team_id = ${teamId} then turn end)`.as('own'),
    ])
    .executeTakeFirstOrThrow()
  return Math.max(Number(waiting ?? working ?? 0), own === null ? 0 : Number(own) + 1)
}

/**
 * The next job of a lane that nobody works on, marked with this lease until `until`; undefined when there is none.
 * Every claim has a lease of its own, so that even the same process cannot go on under a former one.
 */
export async function claimJob(
  tx: Tx,
  lease: string,
  from: { lane: string; now: number; until: number; own: readonly string[]; postgres: boolean },
): Promise<JobRow | undefined> {
  const { lane, now, until, own, postgres } = from
  let open = tx
    .selectFrom('jobs')
    .select('id')
    .where('lane', '=', lane)
    .where(isOpen)
    .where('lease_until', '<', now)
    .orderBy('background')
    .orderBy('turn')
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

export type Waiting = Pick<JobRow, 'id' | 'subject' | 'team_id' | 'lane'>

/** The waiting jobs of these lanes, each lane in the order in which they begin. */
export async function listWaiting(db: Db, lanes: readonly string[]): Promise<Waiting[]> {
  return db
    .selectFrom('jobs')
    .select(['id', 'subject', 'team_id', 'lane'])
    .where('lane', 'in', lanes)
    .where(isQueued)
    .orderBy('lane')
    .orderBy('background')
    .orderBy('turn')
    .orderBy('id')
    .execute()
}

export async function hasOpenJob(tx: Tx, subject: string, postgres: boolean): Promise<boolean> {
  const open = tx.selectFrom('jobs').select('id').where('subject', '=', subject).where(isOpen)
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
  await db.updateTable('jobs').set({ lease_until: until }).where(isRunning).where('lease_owner', 'in', leases).execute()
}

/** Gives up leases, so that whoever comes next goes on at once; all of them when `leases` is absent. */
export async function releaseLeases(db: Db, leases?: readonly string[]): Promise<void> {
  if (leases?.length === 0) return
  const running = db.updateTable('jobs').set({ lease_until: 0, lease_owner: null }).where(isRunning)
  await (leases ? running.where('lease_owner', 'in', leases) : running).execute()
}

export async function listJobs(db: Db, subject: string, limit: number): Promise<JobRow[]> {
  return db.selectFrom('jobs').selectAll().where('subject', '=', subject).orderBy('id', 'desc').limit(limit).execute()
}

export async function findJobs(db: Db, ids: readonly string[]): Promise<JobRow[]> {
  return ids.length === 0 ? [] : db.selectFrom('jobs').selectAll().where('id', 'in', ids).execute()
}

export async function deleteJobs(tx: Tx, subject: string): Promise<void> {
  await tx.deleteFrom('jobs').where('subject', '=', subject).execute()
}

/** `queuePosition`: from 1, among those that wait. */
export function jobView(row: JobRow, queuePosition?: number): Job {
  return {
    id: row.id,
    kind: row.kind,
    title: row.title,
    state: row.state,
    createdAt: iso(row.created_at),
    ...(row.started_at === null ? {} : { startedAt: iso(row.started_at) }),
    ...(row.ended_at === null ? {} : { endedAt: iso(row.ended_at) }),
    ...(row.error === null ? {} : { error: row.error }),
    ...(queuePosition === undefined ? {} : { queuePosition }),
    steps: stepsOf(row),
  }
}
