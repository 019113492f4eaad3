import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { spaceOn } from '../../platform/disk.ts'
import { readCertificate } from './certificate.checks.ts'
import { type Figure, figure } from '../../platform/health/figures.ts'
import { countJobs } from './health.store.ts'

export interface OperationDependencies {
  database: Database
  clock: Clock
  config: { baseUrl: string; home: string }
}

const certificateMs = 3_600_000
/** A scrape waits so long at most for a look at the certificate; the next one then has it. */
const patienceMs = 2_000

/** Figures by which a monitoring system tells that work piles up, the disk fills up or the certificate expires. */
export function createOperationFigures({ database, clock, config }: OperationDependencies) {
  let seen: { at: number; expiresAt?: number } | undefined
  let looking: Promise<void> | undefined

  async function certificate(): Promise<number | undefined> {
    if (!config.baseUrl.startsWith('https:')) return undefined
    if (!seen || clock.now() - seen.at > certificateMs)
      looking ??= readCertificate(config.baseUrl)
        .then(({ shown }) => {
          seen = { at: clock.now(), ...(shown && { expiresAt: shown.expiresAt }) }
        })
        .finally(() => (looking = undefined))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, patienceMs)))
    await Promise.race([looking, late]).finally(() => clearTimeout(timer))
    return seen?.expiresAt
  }

  async function ofJobs(): Promise<Figure[]> {
    const { queued, running, failed, oldest } = await countJobs(database.read)
    const states: [number, { state: string }][] = [
      [queued, { state: 'queued' }],
      [running, { state: 'running' }],
      [failed, { state: 'failed' }],
    ]
    const age = oldest === undefined ? 0 : Math.max(0, (clock.now() - oldest) / 1000)
    return [
      figure('flowforge_jobs', 'gauge', 'Jobs by state. Failed ones are those still on record.', states),
      figure(
        'flowforge_jobs_oldest_queued_seconds',
        'gauge',
        'Age of the job that has waited longest; 0: none waits.',
        [[age]],
      ),
    ]
  }

  async function ofDisk(): Promise<Figure[]> {
    const { free, total } = await spaceOn(config.home)
    return [
      figure('flowforge_disk_size_bytes', 'gauge', 'Size of the disk with FORGE_HOME.', [[total]]),
      figure('flowforge_disk_free_bytes', 'gauge', 'Bytes that the server may still write there.', [[free]]),
    ]
  }

  /** A figure that cannot be found out is left out. */
  return async (): Promise<Figure[]> => {
    const parts = await Promise.allSettled([ofJobs(), certificate(), ofDisk()])
    const [jobs, expiry, disk] = parts
    return [
      ...[jobs, disk].flatMap((part) => (part.status === 'fulfilled' ? part.value : [])),
      ...(expiry.status === 'fulfilled' && expiry.value !== undefined
        ? [
            figure('flowforge_certificate_expiry_timestamp_seconds', 'gauge', 'When the certificate expires.', [
              [expiry.value / 1000],
            ]),
          ]
        : []),
    ]
  }
}
