import type { Config } from '../config.ts'
import { auditSigner, createAudit, platformScope, sealThrough } from '../features/audit/index.ts'
import { openKeys } from '../keys.ts'
import { systemClock } from '../platform/clock.ts'
import { openDatabase } from '../platform/db/database.ts'
import { createBus } from '../platform/events/bus.ts'
import { keyFileOf } from '../platform/keys/key.file.ts'
import { rotateKey } from '../platform/keys/rotate.ts'
import { sealedColumns } from '../sealed.columns.ts'
import { checkSchema, shell } from './account.commands.ts'
import type { Shell } from './run.ts'

/** Replaces the master key; a run that was cut off is gone on with. */
export async function replaceKey(config: Config, { say }: Pick<Shell, 'say'>): Promise<void> {
  const database = await openDatabase({ home: config.home, url: config.databaseUrl })
  try {
    await checkSchema(database)
    const keys = await openKeys(database, config)
    await keys.settle()
    const signer = auditSigner(keys)
    const bus = await createBus(database)
    try {
      const audit = createAudit({ database, bus, clock: systemClock, signer })
      const { values, lost } = await rotateKey({
        database,
        keys,
        columns: sealedColumns,
        say,
        // Its contents are sealed in blobs that only its engine knows, until it has ended.
        heldUpBy: async () => {
          const incoming = database.read.selectFrom('deployments').select('id').where('incoming', 'is not', null)
          return (await incoming.limit(1).executeTakeFirst()) && 'deployments'
        },
        closeAudit: (tx) => sealThrough(tx, { database, clock: systemClock, signer }),
        record: (tx) =>
          audit.recordReported(tx, shell(), 'platform.master-key.replaced', platformScope, {
            info: { key: keys.current.id },
          }),
      })
      for (const place of lost) say(`No key opens the value in ${place}. It was left as it is.`)
      say(
        `The master key was replaced, and ${values === 1 ? '1 secret was' : `${values} secrets were`} sealed once more. ${whereItIs(config, keys.isOutdated())}`,
      )
    } finally {
      await bus.close()
    }
  } finally {
    await database.close()
  }
}

function whereItIs({ home, secretKey }: Config, isOutdated: boolean): string {
  const file = keyFileOf(home)
  if (secretKey && isOutdated)
    return `The new key is in ${file}. Before the next start of any server, put it where FORGE_SECRET_KEY or FORGE_SECRET_KEY_FILE is set: with the former key no server starts any more.`
  return `The new key is in ${file}: keep a copy of it where you kept the former one.`
}
