import { StoredSettings } from '@app/contract'
import type { Database } from '../../platform/db/database.ts'
import { jsonColumn, type ReadJson } from '../../platform/db/json.ts'
import { newUuid } from '../../platform/ids.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    settings: { key: string; value: string }
  }
}

const readers = new Map<string, ReadJson<unknown>>(
  Object.entries(StoredSettings.shape).map(([key, schema]) => [key, jsonColumn<unknown>('settings.value', schema)]),
)

const defaults = StoredSettings.parse({})

/** All settings, with the default for those never set. Rows of settings that no longer exist are passed over. */
export async function readSettings(db: Db): Promise<StoredSettings> {
  const rows = await db.selectFrom('settings').selectAll().execute()
  const stored = rows.flatMap(({ key, value }) => {
    const read = readers.get(key)
    return read ? [[key, read(value, key)] as const] : []
  })
  return { ...defaults, ...Object.fromEntries(stored) }
}

export async function writeSettings(tx: Tx, values: Partial<StoredSettings>): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value) }))
  await tx
    .insertInto('settings')
    .values(rows)
    .onConflict((conflict) => conflict.column('key').doUpdateSet((row) => ({ value: row.ref('excluded.value') })))
    .execute()
}

/** The id of this installation, which a licence may be bound to; made when it is asked for first. */
export async function platformIdOf(database: Database): Promise<string> {
  const known = (await readSettings(database.read))['platform:id']
  if (known !== null) return known
  return database.transact(async (tx) => {
    await tx
      .insertInto('settings')
      .values({ key: 'platform:id', value: JSON.stringify(newUuid()) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return (await readSettings(tx))['platform:id']!
  })
}
