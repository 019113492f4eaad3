import type { AdminJob, Backups, Health, HealthCheck, Job } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Logger } from 'pino'
import type { Actor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Disk } from '../../platform/disk.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Jobs, WatchedJob } from '../../platform/jobs/jobs.ts'
import type { Trust } from '../../platform/proxy/index.ts'
import type { Audit } from '../audit/index.ts'
import { checkAddress, checkCertificate, checkCookies, checkNames } from './address.checks.ts'
import { broken, fine, type Finding, type Look, warning } from './check.ts'
import { countWaitingMails, countWanted, namesOf } from './health.store.ts'
import {
  checkClock,
  checkDatabase,
  createSoundness,
  checkDescriptors,
  checkDisk,
  checkMail,
  driverChecks,
  judgeBackups,
} from './machine.checks.ts'
import { type Arrivals, judgeArrival } from './proxy.checks.ts'
import { judgeHost, judgeKey, judgeMoved } from './servers.checks.ts'
import type { Host } from '../hosting/index.ts'

export interface HealthDependencies {
  database: Database
  clock: Clock
  log: Logger
  jobs: Jobs
  driver: Driver
  audit: Audit
  disk: Pick<Disk, 'isFull'>
  backups: { kept(): Promise<Pick<Backups, 'backups' | 'nightly' | 'unreadable'>> }
  host: Host
  keys: { isReplacing(): Promise<boolean>; isOutdated(): boolean }
  countMoved(): Promise<number>
  trust: Trust
  arrivals: Arrivals
  config: {
    home: string
    baseUrl: string
    instanceDomain: string
    trustProxy: readonly string[]
    mail?: { host: string; port: number }
  }
}

const freshMs = 60_000
const dayMs = 86_400_000
const mostJobs = 200
const auditScope = { type: 'platform' as const, id: 'platform' }

export type HealthService = ReturnType<typeof createHealth>

/** How the platform does, and what administrators do about jobs that do not. */
export function createHealth(deps: HealthDependencies) {
  const { database, clock, log, jobs, driver, audit, disk, backups, host, keys, config } = deps
  let last: Health | undefined
  let running: Promise<Health> | undefined

  /** Asked once for all checks of a look. */
  let watching: Promise<WatchedJob[]> | undefined
  const watched = () => (watching ??= jobs.watchList(mostJobs))

  async function checkJobs(): Promise<Finding> {
    const all = await watched()
    const stuck = all.filter((one) => one.stuck).length
    const since = clock.now() - dayMs
    const failed = all.filter(({ job }) => job.state === 'failed' && Date.parse(job.endedAt ?? job.createdAt) > since)
    const open = all.filter(({ job }) => job.state !== 'failed').length
    if (stuck > 0) return broken('JOB01', `${stuck} of ${open} open jobs are stuck.`)
    if (failed.length > 0) return warning('JOB02', `${failed.length} failed in the last 24 hours; ${open} are open.`)
    return fine(`${open} open. None failed in the last 24 hours.`)
  }

  async function checkInstances(): Promise<Finding> {
    const { wanted, down } = await countWanted(database.read)
    if (down > 0) return warning('DRV02', `${down} of ${wanted} are not running.`)
    return fine(wanted === 0 ? 'No instance is set to run.' : `${wanted} of ${wanted} running.`)
  }

  const { registry, warm, limits } = driverChecks(driver)
  const { baseUrl, instanceDomain, home } = config
  const soundness = createSoundness(home, clock)
  const looks: Look[] = [
    { part: 'Database', run: () => checkDatabase(database, soundness) },
    { part: 'Disk', run: () => checkDisk(home, disk) },
    { part: 'Open files', run: checkDescriptors },
    { part: 'Jobs', run: checkJobs },
    { part: 'Instances', run: checkInstances },
    { part: 'Servers', run: async () => judgeHost(await host.state()) },
    {
      part: 'Master key',
      run: async () => judgeKey({ isReplacing: await keys.isReplacing(), isOutdated: keys.isOutdated() }),
    },
    { part: 'Addresses of instances', run: async () => judgeMoved(await deps.countMoved()) },
    { part: 'Process isolation', run: limits },
    { part: 'Standby processes', run: warm },
    { part: 'Public address', run: () => checkAddress(baseUrl) },
    { part: 'Names of instances', run: () => checkNames(baseUrl, instanceDomain) },
    {
      part: 'Reverse proxy',
      run: async () =>
        judgeArrival(await deps.arrivals.look(baseUrl), {
          trust: deps.trust,
          proxies: config.trustProxy,
          secure: baseUrl.startsWith('https:'),
        }),
    },
    { part: 'Certificate', run: () => checkCertificate(baseUrl, instanceDomain) },
    { part: 'Cookies', run: () => checkCookies(baseUrl, instanceDomain) },
    {
      part: 'Mail',
      run: async () =>
        checkMail({ ...(config.mail && { server: config.mail }), waiting: await countWaitingMails(database.read) }),
    },
    {
      part: 'Backups',
      run: async () => {
        const { backups: made, nightly, unreadable } = await backups.kept()
        const failed = (await watched()).find(({ job, subject }) => job.state === 'failed' && subject === 'backup')?.job
        return judgeBackups(
          {
            ...(made[0] && { newest: Date.parse(made[0].createdAt) }),
            isNightly: nightly !== undefined,
            unreadable,
            damaged: made.filter(({ damage }) => damage !== undefined).map(({ name }) => name),
            ...(failed && { failed: { at: failed.endedAt ?? failed.createdAt, reason: failed.error ?? 'see Jobs' } }),
          },
          clock.now(),
        )
      },
    },
    { part: 'Registry', run: registry },
    { part: 'Clock', run: () => checkClock(database) },
  ]

  async function look({ part, run }: Look): Promise<HealthCheck> {
    try {
      return { part, ...(await run()) }
    } catch (error) {
      log.error({ err: error, part }, 'health check failed')
      return { part, ...broken('CHECK01', 'This check could not run.') }
    }
  }

  async function check(): Promise<Health> {
    running ??= Promise.all(looks.map(look))
      .then((checks) => (last = { checkedAt: iso(clock.now()), checks }))
      .finally(() => {
        running = undefined
        watching = undefined
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
