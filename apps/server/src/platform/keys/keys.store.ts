import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { databaseNow } from '../db/now.ts'
import type { Db, Tx } from '../db/tables.ts'

export interface KeyRow {
  id: string
  state: 'current' | 'next' | 'former'
  /** A check value for the current key, the key itself for another; sealed under the current one. */
  sealed: string
  /** The current key, sealed under the one before, while that is being replaced. */
  handoff: string | null
  /** For a former key: the last position in the chain of the audit log that may carry its MACs. */
  audit_until: number | null
  made_at: number
}

export interface ServerRow {
  /** The id of one run of a server. */
  id: string
  /** Machine and FORGE_HOME, for people. */
  name: string
  pid: number
  seen_at: number
  /** Under which it seals. */
  key_id: string
  /** Ids of all it knows, with spaces between them. */
  known_keys: string
}

declare module '../db/tables.ts' {
  interface Tables {
    master_keys: KeyRow
    servers: ServerRow
  }
}

/** A server that was not heard of for so long has died, or will find out that it was taken for dead. */
const silentMs = 60_000

export const listKeys = (db: Db): Promise<KeyRow[]> =>
  db.selectFrom('master_keys').selectAll().orderBy('made_at').execute()

/** False when there is a current key already, or a next one. */
export async function insertKey(tx: Db, row: KeyRow): Promise<boolean> {
  const done = await tx
    .insertInto('master_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return done.numInsertedOrUpdatedRows === 1n
}

export async function writeKeys(tx: Tx, rows: readonly KeyRow[]): Promise<void> {
  await tx.deleteFrom('master_keys').execute()
  if (rows.length > 0)
    await tx
      .insertInto('master_keys')
      .values([...rows])
      .execute()
}

export async function beat(db: Db, kind: Database['kind'], row: Omit<ServerRow, 'seen_at'>): Promise<void> {
  const seen = { ...row, seen_at: databaseNow(kind) }
  await db
    .insertInto('servers')
    .values(seen)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(seen))
    .execute()
}

export async function forgetServer(db: Db, id: string): Promise<void> {
  await db.deleteFrom('servers').where('id', '=', id).execute()
}

export async function forgetSilent(db: Db, kind: Database['kind']): Promise<void> {
  await db
    .deleteFrom('servers')
    .where('seen_at', '<', sql<number>`${databaseNow(kind)} - ${silentMs}`)
    .execute()
}

export async function countAlive(db: Db, kind: Database['kind']): Promise<number> {
  const { n } = await db
    .selectFrom('servers')
    .select(sql<number>`count(*)`.as('n'))
    .where('seen_at', '>=', sql<number>`${databaseNow(kind)} - ${silentMs}`)
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Is any server there but those of this name? */
export async function hasOthers(db: Db, kind: Database['kind'], name: string): Promise<boolean> {
  const other = await db
    .selectFrom('servers')
    .select('id')
    .where('name', '<>', name)
    .where('seen_at', '>=', sql<number>`${databaseNow(kind)} - ${silentMs}`)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

export const listServers = (db: Db): Promise<ServerRow[]> => db.selectFrom('servers').selectAll().execute()
