import { type Kysely, sql } from 'kysely'
import { createVault, type Keys } from '../crypto.ts'
import type { Database } from '../db/database.ts'
import type { SealedRow, SealedColumn } from './sealed.columns.ts'

/**
 * Whether a key is the one of a database that does not say so itself: it opens something that is sealed there.
 * `empty`: nothing is sealed, so that any key will do. Of a few values one is enough, since a single one may be damaged.
 */
export async function proveKey(
  { read }: Pick<Database, 'read'>,
  keys: Keys | undefined,
  columns: readonly SealedColumn[],
): Promise<'opens' | 'fails' | 'empty'> {
  const db = read as unknown as Kysely<Record<string, SealedRow>>
  const tables = new Set((await db.introspection.getTables()).map(({ name }) => name))
  let seen = false
  for (const { table, key, column, find } of columns.filter(({ table, isBlob }) => !isBlob && tables.has(table))) {
    const rows = await db
      .selectFrom(table)
      .select([...key, column])
      .where(sql.ref(column), 'like', '%v%.%.%')
      .limit(20)
      .execute()
      // A column of a later version.
      .catch(() => [])
    for (const [sealed, context] of rows.flatMap((row) => find(row, row[column] ?? ''))) {
      seen = true
      if (keys && opens(keys, sealed, context)) return 'opens'
    }
  }
  return seen ? 'fails' : 'empty'
}

function opens(keys: Keys, sealed: string, context: string): boolean {
  try {
    createVault(keys).open(sealed, context)
    return true
  } catch {
    return false
  }
}
