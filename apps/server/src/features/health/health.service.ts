import type { AdminJob, Health, HealthCheck, Job } from '@app/contract'
import type { Logger } from 'pino'
import type { Actor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Jobs, WatchedJob } from '../../platform/jobs/jobs.ts'
import type { Audit } from '../audit/index.ts'
import { broken, type Look, type Shared } from '../../platform/health/check.ts'
import { namesOf } from './health.store.ts'

export interface HealthDependencies {
  database: Database
  clock: Clock
  log: Logger
  jobs: Jobs
  audit: Audit
  /** The checks of all features. */
  watch: { checks(): Look[] }
}

const freshMs = 60_000
const mostJobs = 200
const auditScope = { type: 'platform' as const, id: 'platform' }

export type HealthService = ReturnType<typeof createHealth>

/** Health of the platform, and actions of administrators on jobs that are stuck or failed. */
export function createHealth(deps: HealthDependencies) {
  const { database, clock, log, jobs, audit } = deps
  let last: Health | undefined
  let running: Promise<Health> | undefined

  async function look({ part, run }: Look, shared: Shared): Promise<HealthCheck> {
    try {
      return { part, ...(await run(shared)) }
    } catch (error) {
      log.error({ err: error, part }, 'health check failed')
      return { part, ...broken('CHECK01', 'This check could not run.') }
    }
  }

  async function lookAtAll(): Promise<HealthCheck[]> {
    let watched: Promise<WatchedJob[]> | undefined
    const shared = { jobs: () => (watched ??= jobs.watchList(mostJobs)) }
    const looks = deps.watch.checks().toSorted((a, b) => Number(b.leads ?? false) - Number(a.leads ?? false))
    return Promise.all(looks.map((one) => look(one, shared)))
  }

  async function check(): Promise<Health> {
    running ??= lookAtAll()
      .then((checks) => (last = { checkedAt: iso(clock.now()), checks }))
      .finally(() => {
        running = undefined
      })
    return running
  }

  function adminView(watched: WatchedJob, name: string | undefined): AdminJob {
    const { job, subject, stuck, canRetry, canCancel } = watched
    return { ...job, subject, ...(name !== undefined && { name }), stuck, canRetry, canCancel }
  }

  /** The details of a job in an entry of the audit log. */
  async function infoOf(tx: Tx, { job, subject }: WatchedJob) {
    const about = (await namesOf(tx, [subject])).get(subject)
    return { id: subject, name: about === undefined ? job.title : `${job.title} ${about}`, job: job.kind }
  }

  return {
    /** Looks now; who asks meanwhile gets the same. */
    check,

    async current(): Promise<Health> {
      return last && clock.now() - Date.parse(last.checkedAt) < freshMs ? last : check()
    },

    async listJobs(): Promise<AdminJob[]> {
      const all = await jobs.watchList(mostJobs)
      const names = await namesOf(database.read, [...new Set(all.map(({ subject }) => subject))])
      return all.map((one) => adminView(one, names.get(one.subject)))
    },

    /** @throws Failure not_found, invalid_state */
    retry: (actor: Actor, id: string): Promise<Job> =>
      database.transact(async (tx) => {
        const one = await jobs.retry(tx, id)
        await audit.record(tx, actor, 'platform.job.retried', auditScope, { info: await infoOf(tx, one) })
        return one.job
      }),

    /** @throws Failure not_found, invalid_state */
    cancel: (actor: Actor, id: string): Promise<Job> =>
      database.transact(async (tx) => {
        const one = await jobs.cancel(tx, id, 'An administrator cancelled this')
        await audit.record(tx, actor, 'platform.job.cancelled', auditScope, { info: await infoOf(tx, one) })
        return one.job
      }),
  }
}
