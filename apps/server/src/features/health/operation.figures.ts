import type { Backups } from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import { statfs } from 'node:fs/promises'
import type { Database } from '../../platform/db/database.ts'
import { readCertificate } from './address.checks.ts'
import { type Figure, figure } from './figures.ts'
import { countJobs, countMails } from './health.store.ts'

export interface OperationDependencies {
  database: Database
  clock: Clock
  backups: { overview(): Promise<Backups>; lastTook(): Promise<number | undefined> }
  mail: { counts(): { sent: number; postponed: number; givenUp: number } }
  config: { baseUrl: string; home: string }
}

const certificateMs = 3_600_000
/** A scrape waits so long at most for a look at the certificate; the next one then has it. */
const patienceMs = 2_000

/** Figures by which a monitoring system tells that work piles up, backups fail or the certificate expires. */
export function createOperationFigures({ database, clock, backups, mail, config }: OperationDependencies) {
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

  async function ofMail(): Promise<Figure[]> {
    const { sent, postponed, givenUp } = mail.counts()
    const { waiting, oldest } = await countMails(database.read)
    return [
      figure('flowforge_mails_total', 'counter', 'Attempts of this server to send a mail, by their result.', [
        [sent, { result: 'sent' }],
        [postponed, { result: 'postponed' }],
        [givenUp, { result: 'given_up' }],
      ]),
      figure('flowforge_mails_waiting', 'gauge', 'Mails that are not sent yet.', [[waiting]]),
      figure('flowforge_mails_oldest_waiting_seconds', 'gauge', 'Age of the mail that has waited longest.', [
        [oldest === undefined ? 0 : Math.max(0, (clock.now() - oldest) / 1000)],
      ]),
    ]
  }

  async function ofBackups(): Promise<Figure[]> {
    const [{ backups: files, job }, took] = await Promise.all([backups.overview(), backups.lastTook()])
    const [newest] = files
    const ended = job && (job.state === 'done' || job.state === 'failed') ? job : undefined
    return [
      ...(newest
        ? [
            figure('flowforge_backup_newest_timestamp_seconds', 'gauge', 'When the newest backup here was made.', [
              [Date.parse(newest.createdAt) / 1000],
            ]),
            figure('flowforge_backup_newest_size_bytes', 'gauge', 'Size of the newest backup here.', [[newest.size]]),
          ]
        : []),
      ...(took === undefined
        ? []
        : [
            figure('flowforge_backup_newest_duration_seconds', 'gauge', 'How long making and checking it took.', [
              [took / 1000],
            ]),
          ]),
      ...(ended
        ? [
            figure('flowforge_backup_last_success', 'gauge', 'Whether the last backup that was asked for was made.', [
              [ended.state === 'done' ? 1 : 0],
            ]),
          ]
        : []),
      figure('flowforge_backups_damaged', 'gauge', 'Backups here that are not as they were made.', [
        [files.filter(({ damage }) => damage !== undefined).length],
      ]),
    ]
  }

  async function ofDisk(): Promise<Figure[]> {
    const { bavail, blocks, bsize } = await statfs(config.home)
    return [
      figure('flowforge_disk_size_bytes', 'gauge', 'Size of the disk with FORGE_HOME.', [[blocks * bsize]]),
      figure('flowforge_disk_free_bytes', 'gauge', 'What the server may still write there.', [[bavail * bsize]]),
    ]
  }

  /** A figure that cannot be found out is left out. */
  return async (): Promise<Figure[]> => {
    const parts = await Promise.allSettled([ofJobs(), ofMail(), ofBackups(), certificate(), ofDisk()])
    const [jobs, mails, made, expiry, disk] = parts
    return [
      ...[jobs, mails, made, disk].flatMap((part) => (part.status === 'fulfilled' ? part.value : [])),
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
