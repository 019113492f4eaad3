import * as z from 'zod/mini'
import { Job } from './jobs.ts'
import { Ok, Time } from './primitives.ts'
import { may, route } from './route.ts'

/** Names of backup files carry the moment at which they were asked for. */
export const BackupName = z
  .string()
  .check(z.regex(/^flowforge-\d{8}-\d{6}-[a-z0-9]{1,64}\.(tar\.gz\.age|backup)$/, 'Not a backup'))
const BackupParams = z.object({ name: BackupName })

/** Under which a backup is encrypted. Who loses it loses the backup. */
export const Passphrase = z
  .string()
  .check(z.minLength(12, 'At least 12 characters'), z.maxLength(1024, 'At most 1024 characters'))

export const Backup = z.object({
  name: z.string(),
  size: z.number(),
  createdAt: Time,
  /** When the file was last compared with what it was when made; absent for one from before that was recorded. */
  checkedAt: z.optional(Time),
  /** The fault that was found then. */
  damage: z.optional(z.string()),
})
export type Backup = z.infer<typeof Backup>

export const Backups = z.object({
  backups: z.array(Backup),
  /** Why they cannot be listed; `backups` is empty then. */
  unreadable: z.optional(z.string()),
  /** The last that was asked for, as long as it is remembered. */
  job: z.optional(Job),
  /** The job has failed and can be tried again: its passphrase is that of the settings. */
  canRetry: z.optional(z.literal(true)),
  /** Every day at this time of the server, as `HH:MM`; so many are kept. */
  nightly: z.optional(z.object({ at: z.string(), keep: z.number() })),
})
export type Backups = z.infer<typeof Backups>

export const backupRoutes = {
  'backup.list': route({
    method: 'GET',
    path: '/api/v1/admin/backups',
    summary: 'Backups on the server, newest first, and the one in progress',
    access: may('platform:backup', 'platform'),
    reply: Backups,
    errors: [],
  }),
  'backup.create': route({
    method: 'POST',
    path: '/api/v1/admin/backups',
    summary: 'Create a backup of the whole platform, encrypted with a passphrase that is not stored',
    access: may('platform:backup', 'platform'),
    body: z.object({ passphrase: Passphrase }),
    reply: Job,
    errors: ['invalid_state'],
    audit: 'platform.backup.created',
    example: { body: { passphrase: 'four words of mine' } },
  }),
  'backup.download': route({
    method: 'GET',
    path: '/api/v1/admin/backups/:name',
    summary: 'Download the encrypted backup file. The download is logged',
    access: may('platform:backup', 'platform'),
    params: BackupParams,
    errors: [],
  }),
  'backup.delete': route({
    method: 'DELETE',
    path: '/api/v1/admin/backups/:name',
    summary: 'Delete a backup from the server',
    access: may('platform:backup', 'platform'),
    params: BackupParams,
    reply: Ok,
    errors: [],
    audit: 'platform.backup.deleted',
  }),
}
