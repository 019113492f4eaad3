import { type StoredSettings, storedSettings } from '@app/contract'
import type { Db, Tx } from '../../platform/db/tables.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    settings: { key: string; value: string }
  }
}

/** All settings, with the default for those never set. */
export async function readSettings(db: Db): Promise<StoredSettings> {
  const rows = await db.selectFrom('settings').selectAll().execute()
  return { ...storedSettings, ...Object.fromEntries(rows.map(({ key, value }) => [key, JSON.parse(value) as unknown])) }
}

export async function writeSettings(tx: Tx, values: Partial<StoredSettings>): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key, value: JSON.stringify(value) }))
  await tx
    .insertInto('settings')
    .values(rows)
    .onConflict((conflict) => conflict.column('key').doUpdateSet((row) => ({ value: row.ref('excluded.value') })))
    .execute()
}
