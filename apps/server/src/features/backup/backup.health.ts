import type { Services } from '../../platform/features/services.ts'
import { broken, fine, type Finding, type Look, type Shared, warning } from '../../platform/health/check.ts'
import { type Figure, figure } from '../../platform/health/figures.ts'

const dayMs = 86_400_000

export interface BackupSituation {
  /** When it was made, in milliseconds; absent: there is none. */
  newest?: number
  isNightly: boolean
  /** Why nobody can see which there are. */
  unreadable?: string | undefined
  /** Backups that are not as they were made. */
  damaged?: readonly string[]
  /** When and why the last one failed. */
  failed?: { at: string; reason: string }
}

const minuteOf = (time: number) => new Date(time).toISOString().slice(0, 16).replace('T', ' ')

export function judgeBackups(
  { newest, isNightly, unreadable, damaged = [], failed }: BackupSituation,
  now: number,
): Finding {
  const age = newest === undefined ? Infinity : now - newest
  const there =
    newest === undefined ? 'There is no backup on this server.' : `The newest is of ${minuteOf(newest)} UTC.`
  const seen = unreadable === undefined ? there : `${unreadable}.`
  if (damaged.length > 0) return broken('BACKUP04', `Damaged: ${damaged.join(', ')}. ${seen}`)
  if (failed)
    return warning(
      'BACKUP03',
      `The last one failed at ${minuteOf(Date.parse(failed.at))} UTC: ${failed.reason}. ${seen}`,
    )
  if (unreadable !== undefined) return broken('BACKUP05', seen)
  if (isNightly) return age > 2 * dayMs && newest !== undefined ? warning('BACKUP02', seen) : fine(seen)
  return age > 7 * dayMs ? warning('BACKUP01', `${seen} Nightly backups are off.`) : fine(seen)
}

export function backupChecks({ backups, clock }: Pick<Services, 'backups' | 'clock'>): Look[] {
  async function run(shared: Shared): Promise<Finding> {
    const { backups: made, nightly, unreadable } = await backups.kept()
    const failed = (await shared.jobs()).find(({ job, subject }) => job.state === 'failed' && subject === 'backup')?.job
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
  }
  return [{ part: 'Backups', run }]
}

/** Figures by which a monitoring system tells that backups fail. */
export async function backupFigures({ backups }: Pick<Services, 'backups'>): Promise<Figure[]> {
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
    figure('flowforge_backups_damaged', 'gauge', 'Damaged backups on this server.', [
      [files.filter(({ damage }) => damage !== undefined).length],
    ]),
  ]
}
