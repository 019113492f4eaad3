import * as z from 'zod'
import { always, optionally } from './config.setting.ts'
import { wholeNumber } from './config.values.ts'

/** The settings about backups. */
export const backupSettings = {
  FORGE_BACKUP_PASSPHRASE: optionally(z.string().min(12).max(1024), {
    about:
      'Passphrase of nightly backups, and default of the backup commands. Keep a copy elsewhere: without it a backup cannot be restored.',
    expected: 'a text of 12 to 1024 characters',
    example: '<four words or more>',
    secret: true,
    file: true,
  }),
  FORGE_BACKUP_AT: optionally(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/), {
    about: 'Local time of the nightly backup, into the folder `backups` of FORGE_HOME. Needs FORGE_BACKUP_PASSPHRASE.',
    expected: 'a time such as 03:30',
    example: '03:30',
  }),
  FORGE_BACKUP_KEEP: always(wholeNumber(1, 1000), {
    about: 'Number of backups to keep. Each nightly backup deletes older ones.',
    expected: 'a whole number from 1 to 1000',
    fallback: '7',
    example: '30',
  }),
}
