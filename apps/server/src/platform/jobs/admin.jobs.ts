import type { Job, JobStep } from '@app/contract'
import { sql } from 'kysely'
import { iso } from '../clock.ts'
import { brokenRule } from '../db/database.ts'
import type { Db, Tx } from '../db/tables.ts'
import { fail } from '../http/failure.ts'
import type { JobsDependencies } from './jobs.ts'
import { isWatched, type JobRow, jobView, stepsOf } from './jobs.store.ts'

/** After so long without a new step a job is taken to hang. What fetches something ends by itself after ten minutes. */
const stuckMs = 15 * 60_000
/** A lease that nobody took over for so long. */
const orphanMs = 60_000

export interface WatchedJob {
  job: Job
  subject: string
  stuck: boolean
  canRetry: boolean
  canCancel: boolean
}

/** The actions of an administrator on jobs that failed or hang. */
export function createAdminJobs({ database, bus, clock, declared }: JobsDependencies) {
  function isStuck(row: JobRow): boolean {
    const now = clock.now()
    if (row.state === 'queued') return now - row.created_at > stuckMs
    if (row.state !== 'running') return false
    const steps = stepsOf(row)
    const begun = steps.findLast(({ startedAt }) => startedAt)?.startedAt
    const since = begun ? Date.parse(begun) : (row.started_at ?? row.created_at)
    return now - since > stuckMs || now - row.lease_until > orphanMs
  }

  function watched(row: JobRow, isLast: boolean): WatchedJob {
    const stuck = isStuck(row)
    const definition = declared.get(row.kind)
    return {
      job: jobView(row),
      subject: row.subject,
      stuck,
      canRetry: row.state === 'failed' && isLast && definition?.canRepeat(row) === true,
      canCancel: row.state === 'queued' || (row.state === 'running' && stuck),
    }
  }

  async function find(db: Db, id: string): Promise<{ row: JobRow; isLast: boolean }> {
    const rows = db.selectFrom('jobs').selectAll().where('id', '=', id)
    const row = await (database.kind === 'postgres' && db.isTransaction ? rows.forUpdate() : rows).executeTakeFirst()
    if (!row) throw fail('not_found')
    const later = db.selectFrom('jobs').select('id').where('subject', '=', row.subject).where('id', '>', id).limit(1)
    return { row, isLast: (await later.executeTakeFirst()) === undefined }
  }

  async function change(tx: Tx, row: JobRow, changed: Partial<JobRow>): Promise<WatchedJob> {
    try {
      await tx.updateTable('jobs').set(changed).where('id', '=', row.id).execute()
    } catch (error) {
      if (brokenRule(error) === 'unique') throw fail('invalid_state', 'Another job works on this already')
      throw error
    }
    const now = { ...row, ...changed }
    await bus.publish(tx, { type: 'job', team: row.team_id, subject: row.subject, job: jobView(now) })
    return watched(now, true)
  }

  const withSteps = (row: JobRow, change: (step: JobStep) => JobStep) => JSON.stringify(stepsOf(row).map(change))

  return {
    /** Open jobs, then failed ones that no other job on the same thing has followed; the newest first. */
    async list(limit: number, of?: readonly string[]): Promise<WatchedJob[]> {
      const { read } = database
      const all = read.selectFrom('jobs').selectAll().where(isWatched)
      const rows = await (of ? all.where('subject', 'in', of) : all)
        // However many failed, those that are open are seen.
        .orderBy(sql`case when state = 'failed' then 1 else 0 end`)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      const subjects = [...new Set(rows.map(({ subject }) => subject))]
      const last =
        subjects.length === 0
          ? []
          : await read
              .selectFrom('jobs')
              .select(({ fn }) => fn.max('id').as('id'))
              .where('subject', 'in', subjects)
              .groupBy('subject')
              .execute()
      const newest = new Set(last.map(({ id }) => id))
      return rows
        .filter(({ id, state }) => state !== 'failed' || newest.has(id))
        .map((row) => watched(row, newest.has(row.id)))
    },

    async retry(tx: Tx, id: string): Promise<WatchedJob> {
      const { row, isLast } = await find(tx, id)
      if (row.state !== 'failed') throw fail('invalid_state', 'This job has not failed')
      if (!watched(row, isLast).canRetry)
        throw fail(
          'invalid_state',
          isLast ? 'The data of this job was deleted. Ask for a new one' : 'Another job has followed this one',
        )
      return change(tx, row, {
        state: 'queued',
        error: null,
        ended_at: null,
        lease_owner: null,
        lease_until: 0,
        // Times are those of the new attempt; what is done stays done.
        steps: withSteps(row, (step) => (step.state === 'done' ? step : { name: step.name, state: 'waiting' })),
      })
    },

    async cancel(tx: Tx, id: string, reason: string): Promise<WatchedJob> {
      const { row, isLast } = await find(tx, id)
      if (row.state !== 'queued' && row.state !== 'running') throw fail('invalid_state', 'This job has ended already')
      if (!watched(row, isLast).canCancel) throw fail('invalid_state', 'This job is running')
      // The worker on it has no lease any more, and so cannot record anything.
      const result = await change(tx, row, {
        state: 'failed',
        error: reason,
        ended_at: clock.now(),
        lease_owner: null,
        steps: withSteps(row, (step) =>
          step.state === 'running' ? { ...step, state: 'failed', endedAt: iso(clock.now()), text: reason } : step,
        ),
      })
      await declared.get(row.kind)?.failed(tx, row, reason)
      return result
    },
  }
}
