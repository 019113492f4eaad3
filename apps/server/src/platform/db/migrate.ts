import { readdir } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'

/** One step of the schema. It runs inside a transaction on both databases, so a kill half-way leaves nothing. */
export interface Migration {
  up(db: Kysely<unknown>, kind: Database['kind']): Promise<void>
}

const own = new URL('../../../migrations/', import.meta.url)
const lockKey = 727_001

/** The names of all migrations of this version, in their order. */
export const listMigrations = async (folder: URL = own): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^\d{4}-.*\.ts$/.test(name)).sort()

/** The message is for people. */
export class NewerDatabase extends Error {
  override name = 'NewerDatabase'
}

interface Applied {
  name: string
  applied_at: number
}

const withMigrations = (database: Database) => database.read as unknown as Kysely<{ migrations: Applied }>

/** The migrations that a database has had, in their order. */
export const listApplied = (database: Database): Promise<Applied[]> =>
  withMigrations(database).selectFrom('migrations').selectAll().orderBy('name').execute()

/**
 * Brings the schema up to date; several servers may try at once. Returns the names it applied.
 * @param folder address of the migrations, `0001-name.ts` and so on, with a slash at its end.
 * @param only the migrations to apply and no other, for a schema as it once was.
 */
export async function migrate(database: Database, folder: URL = own, only?: ReadonlySet<string>): Promise<string[]> {
  const db = withMigrations(database)
  const lock = async (tx: typeof db) => {
    if (database.kind === 'postgres') await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx)
  }
  await db.transaction().execute(async (tx) => {
    // Two that find no table would both make it, and one of them fail.
    await lock(tx)
    await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(tx)
  })
  const done = new Set((await db.selectFrom('migrations').select('name').execute()).map((row) => row.name))
  const names = await listMigrations(folder)
  const unknown = [...done].filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw new NewerDatabase(
      `This database was made by a newer version of the platform (${unknown[0]}); it cannot be used by this one`,
    )

  const applied: string[] = []
  for (const name of names.filter((name) => !done.has(name) && (only?.has(name) ?? true))) {
    const migration = (await import(new URL(name, folder).href)) as Migration
    await db.transaction().execute(async (tx) => {
      await lock(tx)
      if (await tx.selectFrom('migrations').select('name').where('name', '=', name).executeTakeFirst()) return
      await migration.up(tx as unknown as Kysely<unknown>, database.kind)
      await tx.insertInto('migrations').values({ name, applied_at: Date.now() }).execute()
      applied.push(name)
    })
  }
  return applied
}
