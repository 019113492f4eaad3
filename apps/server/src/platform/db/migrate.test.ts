import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseUrl } from '../../../testing/index.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

let home: string
let url: string | undefined
const opened: Database[] = []
const open = async () => {
  const database = await openDatabase({ home, url })
  opened.push(database)
  return database
}
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'forge-migrate-'))
  url = await databaseUrl({ empty: true })
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
  await rm(home, { recursive: true, force: true })
})

/** Writes migrations of these bodies into a folder of their own and returns its address. */
async function migrations(...bodies: string[]): Promise<URL> {
  const folder = await mkdtemp(join(home, 'migrations-'))
  for (const [index, body] of bodies.entries()) {
    const text = `export async function up(db, kind) { const run = (text) => db.executeQuery({ sql: text, parameters: [], query: { kind: 'RawNode' }, queryId: { queryId: text } }); ${body} }`
    await writeFile(join(folder, `000${index + 1}-step.ts`), text)
  }
  return pathToFileURL(`${folder}/`)
}
const count = async ({ read }: Database, table: string) =>
  Number((await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(read)).rows[0]?.n)
const one = "await run('create table one (id text)'); await run(\"insert into one values ('a')\")"

test('the migrations of the platform run once, and a second start finds nothing to do', async () => {
  const database = await open()
  const applied = await migrate(database)
  expect(applied.length).toBeGreaterThan(3)
  expect(applied).toEqual(applied.toSorted())
  expect(await migrate(database)).toEqual([])
  expect(await count(database, 'audit_log')).toBe(0)
})

test('a migration that fails after it changed the schema leaves nothing, and the next start goes on from there', async () => {
  const database = await open()
  const bad = await migrations(
    one,
    "await run('create table two (id text)'); await run(\"insert into one values ('b')\"); throw new Error('half-way')",
  )
  await expect(migrate(database, bad)).rejects.toThrow('half-way')
  expect(await count(database, 'one')).toBe(1)
  await expect(count(database, 'two')).rejects.toThrow()
  expect(await migrate(database, await migrations(one, "await run('create table two (id text)')"))).toEqual([
    '0002-step.ts',
  ])
  expect([await count(database, 'one'), await count(database, 'two')]).toEqual([1, 0])
})

test('a server killed in the middle of a migration leaves nothing, and the next start goes on from there', async () => {
  const folder = await migrations(
    one,
    "await run('create table two (id text)'); await run(\"insert into one values ('b')\"); process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined)",
  )
  const script = `
    import { openDatabase } from ${JSON.stringify(new URL('database.ts', import.meta.url).href)}
    import { migrate } from ${JSON.stringify(new URL('migrate.ts', import.meta.url).href)}
    await migrate(await openDatabase(${JSON.stringify({ home, url })}), new URL(${JSON.stringify(folder.href)}))`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
  const database = await open()
  expect(await count(database, 'one')).toBe(1)
  await expect(count(database, 'two')).rejects.toThrow()
  expect(await migrate(database, await migrations(one, "await run('create table two (id text)')"))).toEqual([
    '0002-step.ts',
  ])
  expect([await count(database, 'one'), await count(database, 'two')]).toEqual([1, 0])
})

test('servers that start at once on one database apply each migration once', async () => {
  // The embedded database has one server; the other has as many as one likes.
  const databases = await Promise.all(Array.from({ length: url ? 4 : 1 }, open))
  const applied = await Promise.all(databases.map((database) => migrate(database)))
  const all = applied.flat()
  expect(new Set(all).size).toBe(all.length)
  expect(await count(databases[0]!, 'migrations')).toBe(all.length)
})

test('a database made by a newer version is refused by name', async () => {
  const database = await open()
  await migrate(database, await migrations(one, one.replaceAll('one', 'two')))
  await expect(migrate(database, await migrations(one))).rejects.toThrow('newer version of the platform (0002-step.ts)')
})

test('a database that had another migration of the same name is refused by name, and one from before is taken on', async () => {
  const database = await open()
  const recorded = async (checksum: string) => {
    const folder = await migrations(one)
    await writeFile(new URL('checksums.json', folder), JSON.stringify({ '0001-step.ts': checksum }))
    return folder
  }
  // Databases were set up before checksums were recorded.
  await sql`create table migrations (name text primary key, applied_at bigint not null)`.execute(database.read)
  await sql`insert into migrations values ('0001-step.ts', 1)`.execute(database.read)
  expect(await migrate(database, await recorded('first'))).toEqual([])
  expect(await migrate(database, await recorded('first'))).toEqual([])
  await expect(migrate(database, await recorded('second'))).rejects.toThrow(
    'This database was set up by another build of the platform: 0001-step.ts differs',
  )
})

test('the checksum of a migration is kept with it', async () => {
  const database = await open()
  await migrate(database)
  const { rows } = await sql<{ n: number }>`select count(*) as n from migrations where checksum is null`.execute(
    database.read,
  )
  expect(Number(rows[0]?.n)).toBe(0)
})
