import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Insertable, sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStubDriver } from '../../../testing/index.ts'
import { createDatabase } from '../../../../../tools/test/postgres.ts'
import { backupRules } from '../../backup.rules.ts'
import { type Database, openDatabase } from '../../platform/db/database.ts'
import { migrate } from '../../platform/db/migrate.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { makeBackup, restoreBackup } from './index.ts'

vi.setConfig({ testTimeout: 120_000 })

const passphrase = 'a long passphrase of somebody'
const postgres = process.env.TEST_DATABASE === 'postgres'
let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'forge-values-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Where a database is that was never used. */
async function place(name: string) {
  const databaseUrl = postgres ? await createDatabase(process.env.TEST_POSTGRES_URL!) : undefined
  return { home: join(folder, name), databaseUrl, driver: createStubDriver() }
}
type Place = Awaited<ReturnType<typeof place>>

async function withDatabase<T>({ home, databaseUrl }: Place, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ home, url: databaseUrl })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** A backup of a platform with these entries in its log. */
async function backupOf(entries: Insertable<Tables['audit_log']>[], rules = backupRules): Promise<string> {
  const from = await place('from')
  await withDatabase(from, async (database) => {
    await migrate(database)
    for (let at = 0; at < entries.length; at += 500)
      await database.read
        .insertInto('audit_log')
        .values(entries.slice(at, at + 500))
        .execute()
  })
  const file = join(folder, 'all.backup')
  await makeBackup({ ...from, masterKey: randomBytes(32), version: '1', rules }, { file, passphrase })
  return file
}

const entry = (body: string, username: string | null): Insertable<Tables['audit_log']> => ({
  created_at: 1,
  event: 'user.login',
  scope_type: 'platform',
  scope_id: 'platform',
  trigger_id: null,
  trigger_type: 'user',
  trigger_name: 'x',
  username,
  address: '',
  body,
})

const texts = [
  '',
  ' ',
  'null',
  '\\N',
  '\\.',
  '\\',
  '\\\\',
  '\\n',
  '\t',
  '\n',
  '\r\n',
  '\b\f\v\x7F',
  '\u2028',
  "'",
  '"',
  '""',
  '{"a":"b \\"c\\" \\\\ d"}',
  'größer 🥐',
  '],[',
  '[1,"x",null]',
  ',',
  'a\tb\\tc\nd\\ne',
]

test('every text comes back as it was, and an empty one is not an absent one', async () => {
  const entries = texts.flatMap((text) => [entry(text, text), entry(text, null)])
  const file = await backupOf(entries)
  const to = await place('to')
  await restoreBackup(to, { file, passphrase })
  const rows = await withDatabase(to, ({ read }) =>
    read.selectFrom('audit_log').select(['body', 'username']).orderBy('id').execute(),
  )
  expect(rows).toEqual(entries.map(({ body, username }) => ({ body, username })))
})

test('a table of several parts comes back whole, and what is written next gets the next number', async () => {
  const entries = Array.from({ length: 6_000 }, (_, i) => entry(`${i} ${'flour and water '.repeat(20)}`, 'alice'))
  const file = await backupOf(entries)
  const to = await place('to')
  expect(await restoreBackup(to, { file, passphrase })).toMatchObject({ rows: expect.any(Number) })
  await withDatabase(to, async ({ read }) => {
    const rows = await read.selectFrom('audit_log').select(['id', 'body']).orderBy('id').execute()
    expect(rows).toEqual(entries.map(({ body }, at) => ({ id: at + 1, body })))
    const next = await read.insertInto('audit_log').values(entry('', null)).returning('id').executeTakeFirstOrThrow()
    expect(next.id).toBe(6_001)
  })
})

test.runIf(postgres)('PostgreSQL may be set to a stricter isolation', async () => {
  const file = await backupOf([entry('first', null)])
  const to = await place('to')
  await withDatabase(to, async ({ read }) => {
    const name = new URL(to.databaseUrl!).pathname.slice(1)
    await sql`alter database ${sql.id(name)} set default_transaction_isolation = 'repeatable read'`.execute(read)
  })
  await restoreBackup(to, { file, passphrase })
  const rows = await withDatabase(to, ({ read }) => read.selectFrom('audit_log').select('body').execute())
  expect(rows).toEqual([{ body: 'first' }])
})

test('rows that the database refuses leave an empty platform, which takes the next backup', async () => {
  const twice = { ...backupRules, change: { ...backupRules.change, audit_log: (row: object) => ({ ...row, id: 7 }) } }
  const bad = await backupOf([entry('first', null), entry('second', null)], twice)
  const to = await place('to')
  await expect(restoreBackup(to, { file: bad, passphrase })).rejects.toThrow(/unique/i)
  const held = ({ read }: Database) =>
    sql<{ n: number }>`select count(*) as n from audit_log`.execute(read).then(({ rows }) => Number(rows[0]?.n))
  expect(await withDatabase(to, (database) => migrate(database).then(() => held(database)))).toBe(0)
  await rm(join(folder, 'from'), { recursive: true, force: true })
  const good = await backupOf([entry('first', null)])
  await restoreBackup(to, { file: good, passphrase })
  expect(await withDatabase(to, held)).toBe(1)
})
