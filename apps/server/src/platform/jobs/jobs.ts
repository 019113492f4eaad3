import type { Job, JobStep } from '@app/contract'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { afterCommit, type Database } from '../db/database.ts'
import { flag, type Tx } from '../db/tables.ts'
import type { Bus } from '../events/bus.ts'
import { newId } from '../ids.ts'
import {
  claimJob,
  deleteJobs,
  findJobs,
  hasOpenJob,
  insertJob,
  type JobRow,
  jobView,
  listJobs,
  listWaiting,
  nextTurn,
  releaseLeases,
  renewLeases,
} from './jobs.store.ts'
import { createAdminJobs, type WatchedJob } from './admin.jobs.ts'
import type { DefinedJob, Lane } from './definition.ts'
import { announcePositions } from './queue.positions.ts'
import { runJob } from './run.ts'
import type { Worker } from './worker.ts'

export interface Order<P> {
  subject: string
  teamId: string
  payload: P
  /** Nobody waits for it: it begins, in the order of asking, when nothing else of its lane waits. */
  background?: boolean
}

export interface Jobs {
  /**
   * Has the subject an open job? Ask before touching what jobs touch as well: a job that is just being
   * recorded is waited for, and its transaction locks the job first.
   */
  isOpen(tx: Tx, subject: string): Promise<boolean>
  /** Queues a job with the change that asks for it; undefined when the subject has an open job already. */
  enqueue<P>(tx: Tx, kind: string, job: Order<P>): Promise<Job | undefined>
  list(subject: string, limit: number): Promise<Job[]>
  /** The jobs of these that are still on record. */
  find(ids: readonly string[]): Promise<Job[]>
  /** Open and failed jobs, newest first. */
  watchList(limit: number): Promise<WatchedJob[]>
  /** The same of these subjects alone. */
  watch(subjects: readonly string[]): Promise<WatchedJob[]>
  /** Takes a failed job up where it failed. @throws Failure not_found, invalid_state when another has followed it. */
  retry(tx: Tx, id: string): Promise<WatchedJob>
  /** Ends a job that waits or is stuck as if it had failed. @throws Failure not_found, invalid_state */
  cancel(tx: Tx, id: string, reason: string): Promise<WatchedJob>
  /** Removes every job of a subject that is going away, also the one that removes it. */
  forget(tx: Tx, subject: string): Promise<void>
  start(): Promise<void>
  /** Claims nothing any more, at once; what is under way ends without a record of it. */
  abandon(): void
  stop(): Promise<void>
}

export type { WatchedJob } from './admin.jobs.ts'

export interface JobsDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  /** Absent: this server works off the jobs, and no other. */
  worker?: Worker
  /** The jobs of all features, by kind. They may still be missing here while the services are made. */
  declared: ReadonlyMap<string, DefinedJob>
}

const leaseMs = 15_000
const usual: Lane = { name: '', width: 4 }

/** Durable work: rows with leases, taken up again by whoever is alive after a kill. */
export function createJobs(deps: JobsDependencies): Jobs {
  const { database, bus, clock, log, worker, declared } = deps
  /** The jobs being worked on here, by lease. */
  const running = new Map<string, { jobId: string; lane: string; work: Promise<void> }>()
  const positions = announcePositions(deps)
  let timers: NodeJS.Timeout[] = []
  let state: 'idle' | 'on' | 'off' = 'idle'
  let claiming: Promise<void> | undefined

  const lanes = () =>
    new Map([usual, ...[...declared.values()].map(({ lane }) => lane ?? usual)].map((lane) => [lane.name, lane]))
  const isFull = ({ name, width }: Lane) => [...running.values()].filter(({ lane }) => lane === name).length >= width

  async function claimAll(): Promise<void> {
    for (const lane of lanes().values()) while (state === 'on' && !isFull(lane) && (await claim(lane)));
    const full = [...lanes().values()].filter(isFull)
    if (full.length > 0) positions.tell(full.map(({ name }) => name))
  }

  /** False when no job of this lane waits. */
  async function claim({ name: lane }: Lane): Promise<boolean> {
    const lease = newId()
    const now = clock.now()
    const own = [...running.values()].map(({ jobId }) => jobId)
    const postgres = database.kind === 'postgres'
    const row = await database.transact(async (tx) =>
      !worker || (await worker.holds(tx))
        ? claimJob(tx, lease, { lane, now, until: now + leaseMs, own, postgres })
        : undefined,
    )
    if (!row) return false
    const work = run(lease, row).finally(() => {
      running.delete(lease)
      wakeAgain()
    })
    running.set(lease, { jobId: row.id, lane, work })
    return true
  }

  async function run(lease: string, row: JobRow): Promise<void> {
    const definition = declared.get(row.kind)
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

  const admin = createAdminJobs(deps)

  /** A job belongs to no request, whoever asked for it: what is counted for a request ends with the request. */
  const apart = AsyncLocalStorage.snapshot()
  /** Claims that are under way may have looked before this; looks again when they are done. */
  const wakeAgain = () => apart(() => void (claiming ?? Promise.resolve()).then(wake))

  return {
    async enqueue(tx, kind, { subject, teamId, payload, background = false }) {
      const definition = declared.get(kind)
      if (!definition) throw new Error(`Unknown kind of job: ${kind}`)
      await worker?.demand(tx)
      const lane = (definition.lane ?? usual).name
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
        lane,
        background: flag(background),
        turn: background ? 0 : await nextTurn(tx, lane, teamId),
        created_at: clock.now(),
        started_at: null,
        ended_at: null,
        lease_owner: null,
        lease_until: 0,
      }
      if (!(await insertJob(tx, row))) return undefined
      const job = jobView(row)
      await bus.publish(tx, { type: 'job', team: teamId, subject, job })
      afterCommit(tx, wakeAgain)
      return job
    },
    isOpen: (tx, subject) => hasOpenJob(tx, subject, database.kind === 'postgres'),
    forget: deleteJobs,
    watchList: (limit) => admin.list(limit),
    watch: (subjects) => admin.list(subjects.length, subjects),
    cancel: admin.cancel,
    async retry(tx, id) {
      const job = await admin.retry(tx, id)
      afterCommit(tx, wakeAgain)
      return job
    },
    async list(subject, limit) {
      const rows = await listJobs(database.read, subject, limit)
      const waiting = rows.find((row) => row.state === 'queued')
      const queue = waiting ? await listWaiting(database.read, [waiting.lane]) : []
      const position = queue.findIndex(({ id }) => id === waiting?.id) + 1
      return rows.map((row) => jobView(row, row === waiting && position > 0 ? position : undefined))
    },
    find: async (ids) => (await findJobs(database.read, ids)).map((row) => jobView(row)),
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
    abandon() {
      state = 'off'
      for (const timer of timers) clearInterval(timer)
    },
    async stop() {
      state = 'off'
      await positions.stop()
      for (const timer of timers) clearInterval(timer)
      await claiming
      const all = Promise.allSettled([...running.values()].map(({ work }) => work))
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 1_000).unref())])
      await releaseLeases(database.read, [...running.keys()])
    },
  }
}
