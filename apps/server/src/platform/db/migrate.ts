import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import * as z from 'zod/mini'
import { type Database, openDatabase } from './database.ts'

/** One step of the schema. It runs inside a transaction on both databases, so a kill half-way leaves nothing. */
export interface Migration {
  up(db: Kysely<unknown>, kind: Database['kind']): Promise<void>
}

const own = new URL('../../../migrations/', import.meta.url)
const lockKey = 727_001

const form = /^(\d{4}-.*)\.[jt]s$/

/** The names of all migrations of this version, in their order. A package holds them as JavaScript, under the same names. */
export const listMigrations = async (folder: URL = own): Promise<string[]> =>
  (await readdir(folder)).flatMap((name) => (form.test(name) ? [name.replace(form, '$1.ts')] : [])).sort()

/** The message is for people. */
export class NewerDatabase extends Error {
  override name = 'NewerDatabase'
}

/** A migration that the database has had does something else in this program. The message is for people. */
export class OtherMigration extends Error {
  override name = 'OtherMigration'
}

interface Applied {
  name: string
  applied_at: number
  /** The checksum of its effect; null until the first start of a version that records it. */
  checksum: string | null
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
  if (!database.url) return applyAll(database, folder, only)
  // A step over a large table takes minutes.
  const patient = await openDatabase({ home: '', url: database.url, pool: 1, patient: true })
  try {
    return await applyAll(patient, folder, only)
  } finally {
    await patient.close()
  }
}

async function applyAll(database: Database, folder: URL, only?: ReadonlySet<string>): Promise<string[]> {
  const db = withMigrations(database)
  const lock = async (tx: typeof db) => {
    if (database.kind === 'postgres') await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx)
  }
  await db.transaction().execute(async (tx) => {
    // Two that find no table would both make it, and one of them fail.
    await lock(tx)
    await sql`create table if not exists migrations (name text primary key, applied_at bigint not null, checksum text)`.execute(
      tx,
    )
    await addChecksums(tx, database.kind)
  })
  const rows = await db.selectFrom('migrations').selectAll().execute()
  const done = new Set(rows.map(({ name }) => name))
  const names = await listMigrations(folder)
  const unknown = [...done].filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw new NewerDatabase(
      `This database was made by a newer version of the platform (${unknown[0]}); it cannot be used by this one`,
    )
  const checksums = await readChecksums(folder)
  await compare(db, rows, checksums)

  const applied: string[] = []
  for (const name of names.filter((name) => !done.has(name) && (only?.has(name) ?? true))) {
    const migration = await load(name, folder)
    await db.transaction().execute(async (tx) => {
      await lock(tx)
      if (await tx.selectFrom('migrations').select('name').where('name', '=', name).executeTakeFirst()) return
      await migration.up(tx as unknown as Kysely<unknown>, database.kind)
      await tx
        .insertInto('migrations')
        .values({ name, applied_at: Date.now(), checksum: checksums[name] ?? null })
        .execute()
      applied.push(name)
    })
  }
  return applied
}

async function load(name: string, folder: URL): Promise<Migration> {
  const source = new URL(name, folder)
  const file = existsSync(source) ? source : new URL(name.replace(form, '$1.js'), folder)
  return (await import(file.href)) as Migration
}

const Checksums = z.record(z.string(), z.string())
type Checksums = z.infer<typeof Checksums>

/** As `npm run gen` records them. */
const readChecksums = (folder: URL): Promise<Checksums> =>
  readFile(new URL('checksums.json', folder), 'utf8').then(
    (text) => Checksums.parse(JSON.parse(text)),
    () => ({}),
  )

/** Databases made by earlier versions have no checksums. */
async function addChecksums(tx: Kysely<{ migrations: Applied }>, kind: Database['kind']): Promise<void> {
  const columns =
    kind === 'postgres'
      ? sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = 'migrations'`
      : sql<{ name: string }>`select name from pragma_table_info('migrations')`
  const { rows } = await columns.execute(tx)
  if (!rows.some(({ name }) => name === 'checksum'))
    await sql`alter table migrations add column checksum text`.execute(tx)
}

/** @throws OtherMigration; a migration whose checksum was not recorded is taken to be the one of this program. */
async function compare(db: Kysely<{ migrations: Applied }>, rows: Applied[], checksums: Checksums): Promise<void> {
  const other = rows.find(({ name, checksum }) => checksum !== null && (checksums[name] ?? checksum) !== checksum)
  if (other)
    throw new OtherMigration(
      `This database was set up by another build of the platform: ${other.name} differs from the one of this program. Start the build that used the database last, or restore a backup into a new database (docs/backup.md)`,
    )
  for (const { name } of rows.filter(({ checksum }) => checksum === null))
    if (checksums[name])
      await db.updateTable('migrations').set({ checksum: checksums[name] }).where('name', '=', name).execute()
}
