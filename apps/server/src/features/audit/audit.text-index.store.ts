import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { Db } from '../../platform/db/tables.ts'

/** The index of the texts of entries on PostgreSQL. A restore leaves it to the server. */
export const textIndexName = 'audit_log_text'

/** Held while the index is built, also by a connection whose server has died: PostgreSQL goes on with the statement. */
const lockKey = 727_016
/** For the build; the default makes it four times slower. */
const memory = '256MB'

const built = new WeakSet<Db>()

/**
 * Share of the index that is built, in percent; undefined once it is there, which is not asked again. The embedded
 * database has its own, always.
 */
export async function textIndexProgress({ kind, read }: Pick<Database, 'kind' | 'read'>): Promise<number | undefined> {
  if (kind === 'sqlite' || built.has(read)) return undefined
  const { rows } = await sql<{ valid: boolean | null; done: number | null; total: number | null }>`
    select i.indisvalid as valid, p.blocks_done as done, p.blocks_total as total
    from (select to_regclass(${textIndexName}) as id) as found
    left join pg_index i on i.indexrelid = found.id
    left join pg_stat_progress_create_index p on p.index_relid = found.id`.execute(read)
  const [{ valid, done, total } = { valid: null, done: null, total: null }] = rows
  if (valid) {
    built.add(read)
    return undefined
  }
  return done && total ? Math.min(99, Math.floor((100 * done) / total)) : 0
}

/**
 * Builds the index on a connection of its own, while others write; what is left of a build that ended early is removed
 * first. @returns false when another connection builds it.
 */
export async function buildTextIndex(db: Db): Promise<boolean> {
  // Waiting for the lock would hold a snapshot, for whose end the other build would wait.
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(${lockKey}) as mine`.execute(db)
  if (!rows[0]?.mine) return false
  if ((await textIndexProgress({ kind: 'postgres', read: db })) === undefined) return true
  await sql`set maintenance_work_mem = ${sql.lit(memory)}`.execute(db)
  await sql`drop index concurrently if exists ${sql.id(textIndexName)}`.execute(db)
  // As the migration 0074 makes it.
  await sql`create index concurrently ${sql.id(textIndexName)} on audit_log using gin
    (audit_grams(scope_type, scope_id, event || ' ' || coalesce(username, '') || ' ' || body))`.execute(db)
  return true
}

/** The number by which PostgreSQL knows the connection. */
export async function connectionId(db: Db): Promise<number> {
  const { rows } = await sql<{ id: number }>`select pg_backend_pid() as id`.execute(db)
  return rows[0]!.id
}

/** Ends the statement that a connection runs. */
export async function cancelStatement(db: Db, connection: number): Promise<void> {
  await sql`select pg_cancel_backend(${connection})`.execute(db)
}
