import type { Driver } from '@app/drivers'
import type { Config } from './config.ts'
import { auditSigner, createAudit, forgetHead, platformScope, textIndexName } from './features/audit/index.ts'
import { restoreBackup, RestoreUnfinished, type Told } from './features/backup/index.ts'
import { systemClock } from './platform/clock.ts'
import { openDatabase } from './platform/db/database.ts'
import { openKeys } from './keys.ts'
import { createBus } from './platform/events/bus.ts'

/** The file of a backup; `report` is told how far restoring it is. */
export interface Given {
  file: string
  passphrase: string
  report?: (told: Told) => void
}

/**
 * Puts a backup in the place of an empty platform whose server does not run, and says so in its log.
 * @throws NotRestored, and Unsealable for a file that is not sound; the platform is then as it was. RestoreUnfinished
 * when it is restored and a later step failed.
 */
export async function restorePlatform(config: Config, driver: Driver, given: Given) {
  const { home, databaseUrl, secretKey } = config
  const restored = await restoreBackup({ home, databaseUrl, secretKey, driver, laterIndexes: [textIndexName] }, given)
  try {
    forgetHead(home)
    await record(config, restored.manifest)
  } catch (error) {
    throw new RestoreUnfinished(error)
  }
  return restored
}

async function record(config: Config, { made, version }: { made: string; version: string }): Promise<void> {
  // As patient as the restore: PostgreSQL may still be busy with what was written.
  const database = await openDatabase({ home: config.home, url: config.databaseUrl, patient: true })
  const bus = await createBus(database)
  try {
    const keys = await openKeys(database, config)
    await keys.settle()
    const signer = auditSigner(keys)
    const audit = createAudit({ database, bus, clock: systemClock, signer })
    await database.transact((tx) =>
      audit.record(tx, { kind: 'system', address: '' }, 'platform.restored', platformScope, {
        info: { made, version },
      }),
    )
  } finally {
    await bus.close()
    await database.close()
  }
}
