import type { Driver } from '@app/drivers'
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { type Database, openDatabase } from '../../platform/db/database.ts'
import { listMigrations, migrate } from '../../platform/db/migrate.ts'
import { beginRefill } from '../../platform/db/refill.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { hasAnyUser } from '../account/index.ts'
import { keepProvenance } from '../hosting/index.ts'
import type { Contents, Manifest } from './archive.entries.ts'
import { readArchive } from './archive.reader.ts'
import { inspecting } from './archive.visitor.ts'
import type { Told } from './backup.make.ts'

/** The rows of the backup are in the database, and a later step failed. The message is for people. */
export class RestoreUnfinished extends Error {
  override name = 'RestoreUnfinished'
  constructor(cause: unknown) {
    super(
      'The backup was restored, but the last steps failed. Start the server: it brings the schema up to date. The restore may be missing in the audit log.',
      { cause },
    )
  }
}

/** A backup is not restored here. The message is for people. */
export class NotRestored extends Error {
  override name = 'NotRestored'
}

export interface RestoreTarget {
  home: string
  databaseUrl?: string | undefined
  /** As configured; absent: the key of the backup is kept in a file in the home. */
  secretKey?: Buffer | undefined
  driver: Driver
  /** Indexes that the server makes after its start, where the backup has the schema of today. */
  laterIndexes?: readonly string[]
}

/**
 * Reads the whole of a backup and judges whether it can be restored here, without touching anything.
 * @throws NotRestored, and Unsealable for a file that is not sound.
 */
export async function inspectBackup(
  { secretKey }: Pick<RestoreTarget, 'secretKey'>,
  { file, passphrase }: { file: string; passphrase: string },
): Promise<{ contents: Contents; manifest: Manifest; key: Buffer }> {
  let manifest: Manifest | undefined
  const contents = await readArchive(file, passphrase, {
    ...inspecting,
    begin: async (read) => void (manifest = read),
  })
  const found = manifest!
  await checkVersion(found)
  const key = Buffer.from(found.key, 'base64')
  if (secretKey && !secretKey.equals(key))
    throw new NotRestored(
      'FORGE_SECRET_KEY is set to another key than the one of this backup. Leave it out: the key of the backup is then kept in FORGE_HOME.',
    )
  return { contents, manifest: found, key }
}

/**
 * Restores a backup into a platform that nobody has set up yet and whose server does not run. The whole file is read
 * and judged first; then the rows are written in one transaction, and what is written outside of it counts only with it.
 * A failure, or a kill, leaves a platform that is still empty: try again.
 * @throws NotRestored, and Unsealable for a file that is not sound; RestoreUnfinished when the rows are there.
 */
export async function restoreBackup(
  target: RestoreTarget,
  { file, passphrase, report = () => {} }: { file: string; passphrase: string; report?: (told: Told) => void },
): Promise<Contents & { manifest: Manifest }> {
  report({ text: 'Checking the whole file' })
  const { contents, manifest: found, key } = await inspectBackup(target, { file, passphrase })
  if ((await target.driver.adopt()).length > 0)
    throw new NotRestored('Instances of another platform run in this FORGE_HOME. Use one of its own.')
  const database = await openEmpty(target, new Set(found.migrations))
  let done = 0
  const told = (more: number) => report({ text: 'Writing the rows', done: (done += more), total: contents.rows })
  const indexing = () => report({ text: 'Making the indexes' })
  // Migrations that follow expect every index.
  const isCurrent = (await listMigrations()).every((name) => found.migrations.includes(name))
  const filling = { file, passphrase, key, told, indexing, later: isCurrent ? (target.laterIndexes ?? []) : [] }
  try {
    await database.transact((tx) => refill(database, tx, target, filling))
    await finish(database, target, found, report)
  } finally {
    await database.close()
  }
  if (!target.databaseUrl) await nameDraft(target.home)
  return { ...contents, manifest: found }
}

/** The rows of PostgreSQL are there from now on; those of the embedded database count when its draft is named. */
async function finish(
  database: Database,
  { home, databaseUrl }: RestoreTarget,
  { origin }: Manifest,
  report: (told: Told) => void,
): Promise<void> {
  try {
    if (origin) keepProvenance(home, origin)
    report({ text: 'Bringing the schema up to date' })
    await migrate(database)
  } catch (error) {
    throw databaseUrl ? new RestoreUnfinished(error) : error
  }
}

async function checkVersion({ migrations, version }: Manifest): Promise<void> {
  const known = await listMigrations()
  const unknown = migrations.find((name) => !known.includes(name))
  if (unknown)
    throw new NotRestored(`This backup was made by a newer version of the platform (${version}): use that one`)
}

/**
 * An empty database with the schema of the backup; what has come since is applied to its rows afterwards. An embedded
 * one is a draft beside the one that is there.
 */
async function openEmpty({ home, databaseUrl }: RestoreTarget, wanted: ReadonlySet<string>): Promise<Database> {
  const database = await openDatabase({ home, url: databaseUrl, patient: true })
  try {
    const fits = await hasSchema(database, wanted)
    if (databaseUrl && fits) return database
    if (databaseUrl)
      throw new NotRestored(
        'This backup is from an older version, and the database was already set up for this one. Use a new database, and restore it from the shell before the server is started.',
      )
  } catch (error) {
    await database.close()
    throw error
  }
  await database.close()
  await rm(draftOf(home), { force: true })
  const draft = await openDatabase({ home, draft: draftOf(home) })
  await migrate(draft, undefined, wanted)
  return draft
}

const draftOf = (home: string) => join(home, 'forge.db.restoring')

/** Puts the draft, once it is on the disk, in the place of the empty database. */
async function nameDraft(home: string): Promise<void> {
  await flush(draftOf(home))
  for (const end of ['-wal', '-shm']) await rm(join(home, `forge.db${end}`), { force: true })
  await rename(draftOf(home), join(home, 'forge.db'))
  await flush(home)
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync()
  await handle.close()
}

/** Brings the schema to what is wanted; false when it is beyond that. @throws NotRestored when there are people. */
async function hasSchema(database: Database, wanted: ReadonlySet<string>): Promise<boolean> {
  await migrate(database, undefined, wanted)
  const db = database.read as unknown as Kysely<{ migrations: { name: string } }>
  const done = (await db.selectFrom('migrations').select('name').execute()).map(({ name }) => name)
  if (await hasAnyUser(database.read))
    throw new NotRestored('This platform is not empty: people have accounts on it. Nothing was changed.')
  return done.every((name) => wanted.has(name))
}

interface Filling {
  file: string
  passphrase: string
  key: Buffer
  told(rows: number): void
  /** All rows are there. */
  indexing(): void
  /** Indexes that are left to the server. */
  later: readonly string[]
}

async function refill(
  database: Database,
  tx: Tx,
  target: RestoreTarget,
  { file, passphrase, key, told, indexing, later }: Filling,
): Promise<void> {
  // Another server may just set the platform up on the same database.
  if (await hasAnyUser(tx)) throw new NotRestored('This platform is not empty: people have accounts on it.')
  const names = (await tablesOf(database, tx)).filter((name) => name !== 'migrations')
  const rows = await beginRefill(database, tx, names, later)
  await readArchive(file, passphrase, {
    begin: async () => {},
    async rows(table, lines, count) {
      await rows.put(table, lines)
      told(count)
    },
    files: (instance, files) => target.driver.putFiles(instance, files),
  })
  indexing()
  await rows.finish()
  if (!target.secretKey) await keepKey(target.home, key)
}

async function tablesOf(database: Database, tx: Tx): Promise<string[]> {
  const { rows } =
    database.kind === 'postgres'
      ? await sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(tx)
      : await sql<{ name: string }>`select name from pragma_table_list
          where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\'`.execute(tx)
  return rows.map(({ name }) => name)
}

/** The key that a first start may have made has sealed nothing that is still there; it is kept beside all the same. */
async function keepKey(home: string, key: Buffer): Promise<void> {
  const folder = join(home, 'keys')
  const path = join(folder, 'master.key')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (existsSync(path)) await rename(path, `${path}.before-restore-${Date.now()}`)
  const handle = await open(`${path}.new`, 'w', 0o600)
  await handle.writeFile(key.toString('base64'))
  await handle.sync()
  await handle.close()
  await rename(`${path}.new`, path)
}
