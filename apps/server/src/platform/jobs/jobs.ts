import type { Job, JobStep } from '@app/contract'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { afterCommit, type Database } from '../db/database.ts'
import type { Tx } from '../db/tables.ts'
import type { Bus } from '../events/bus.ts'
import { newId } from '../ids.ts'
import {
  claimJob,
  deleteJobs,
  hasOpenJob,
  insertJob,
  type JobRow,
  jobView,
  listJobs,
  releaseLeases,
  renewLeases,
} from './jobs.store.ts'
import { runJob } from './run.ts'

export interface StepContext<P> {
  jobId: string
  subject: string
  payload: P
  /** Tells the person who waits how far the step is. */
  report(progress: { text: string; done?: number; total?: number }): void
}

/**
 * A step may run again after a kill, so it must be idempotent. What it returns runs in the very
 * transaction that marks it done: a change of state and its audit entry happen once or not at all.
 */
export interface StepDefinition<P> {
  name: string
  run(context: StepContext<P>): Promise<((tx: Tx) => Promise<void>) | void>
}

export interface JobDefinition<P> {
  kind: string
  title: string
  steps: readonly StepDefinition<P>[]
  /** Runs in the transaction that marks the job failed. `message` may be shown to a person. */
  failed(tx: Tx, context: { subject: string; payload: P }, message: string): Promise<void>
}

export interface Jobs {
  define<P>(definition: JobDefinition<P>): void
  /**
   * Has the subject an open job? Ask before touching what jobs touch as well: a job that is just being
   * recorded is waited for, and its transaction locks the job first.
   */
  isOpen(tx: Tx, subject: string): Promise<boolean>
  /** Queues a job with the change that asks for it; undefined when the subject has an open job already. */
  enqueue<P>(tx: Tx, kind: string, job: { subject: string; teamId: string; payload: P }): Promise<Job | undefined>
  list(subject: string, limit: number): Promise<Job[]>
  /** Removes every job of a subject that is going away, also the one that removes it. */
  forget(tx: Tx, subject: string): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export interface JobsDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
}

const leaseMs = 15_000
const concurrency = 4

/** Durable work: rows with leases, taken up again by whoever is alive after a kill. */
export function createJobs(deps: JobsDependencies): Jobs {
  const { database, bus, clock, log } = deps
  const definitions = new Map<string, JobDefinition<never>>()
  /** What is being worked on here, by lease. */
  const running = new Map<string, { jobId: string; work: Promise<void> }>()
  let timers: NodeJS.Timeout[] = []
  let state: 'idle' | 'on' | 'off' = 'idle'
  let claiming: Promise<void> | undefined

  async function claimAll(): Promise<void> {
    while (state === 'on' && running.size < concurrency) {
      const lease = newId()
      const now = clock.now()
      const own = [...running.values()].map(({ jobId }) => jobId)
      const row = await database.transact((tx) =>
        claimJob(tx, lease, { now, until: now + leaseMs }, own, database.kind === 'postgres'),
      )
      if (!row) return
      const work = run(lease, row).finally(() => {
        running.delete(lease)
        wake()
      })
      running.set(lease, { jobId: row.id, work })
    }
  }

  async function run(lease: string, row: JobRow): Promise<void> {
    const definition = definitions.get(row.kind)
    if (!definition) return log.error({ kind: row.kind }, 'no such kind of job')
    try {
      await runJob({ ...deps, lease, stopped: () => state === 'off' }, definition, row)
    } catch (error) {
      log.error({ err: error, job: row.id }, 'job could not be recorded; it will be taken up again')
    }
  }

  async function renew(): Promise<void> {
    try {
      await renewLeases(database.read, [...running.keys()], clock.now() + leaseMs)
    } catch (error) {
      log.error({ err: error }, 'leases not renewed')
    }
  }

  function wake(): void {
    if (state !== 'on') return
    claiming ??= claimAll()
      .catch((error: unknown) => log.error({ err: error }, 'jobs could not be claimed'))
      .finally(() => {
        claiming = undefined
      })
  }

  return {
    define: (definition) => void definitions.set(definition.kind, definition),
    async enqueue(tx, kind, { subject, teamId, payload }) {
      const definition = definitions.get(kind)
      if (!definition) throw new Error(`Unknown kind of job: ${kind}`)
      const steps: JobStep[] = definition.steps.map(({ name }) => ({ name, state: 'waiting' }))
      const row: JobRow = {
        id: newId(),
        kind,
        title: definition.title,
        subject,
        team_id: teamId,
        state: 'queued',
        payload: JSON.stringify(payload),
        steps: JSON.stringify(steps),
        error: null,
        created_at: clock.now(),
        started_at: null,
        ended_at: null,
        lease_owner: null,
        lease_until: 0,
      }
      if (!(await insertJob(tx, row))) return undefined
      const job = jobView(row)
      await bus.publish(tx, { type: 'job', team: teamId, subject, job })
      // Claims that are under way may have looked before this commit; look again when they are done.
      afterCommit(tx, () => void (claiming ?? Promise.resolve()).then(wake))
      return job
    },
    isOpen: (tx, subject) => hasOpenJob(tx, subject, database.kind === 'postgres'),
    forget: deleteJobs,
    list: async (subject, limit) => (await listJobs(database.read, subject, limit)).map(jobView),
    async start() {
      // The embedded database has one server: whatever runs there was left by a dead one.
      if (database.kind === 'sqlite') await releaseLeases(database.read)
      state = 'on'
      timers = [
        setInterval(() => void renew(), leaseMs / 3),
        // Only for jobs whose server died; new ones wake the runner themselves.
        setInterval(wake, leaseMs / 3),
      ]
      wake()
    },
    async stop() {
      state = 'off'
      for (const timer of timers) clearInterval(timer)
      await claiming
      const all = Promise.allSettled([...running.values()].map(({ work }) => work))
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 1_000).unref())])
      await releaseLeases(database.read, [...running.keys()])
    },
  }
}
