import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { databaseUrl } from '../../../testing/index.ts'
import { afterCommit, brokenRule, type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { prepared } from './prepared.ts'
import type { Tx } from './tables.ts'

let home: string
let database: Database
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'forge-db-'))
  database = await openDatabase({ home, url: await databaseUrl() })
  await migrate(database)
})
afterAll(async () => {
  await database.close()
  await rm(home, { recursive: true, force: true })
})

const row = (key: string) => sql`insert into settings (key, value) values (${key}, '1')`
const keys = async () =>
  (await sql<{ key: string }>`select key from settings order by key`.execute(database.read)).rows.map(({ key }) => key)

test('a transaction is all or nothing, and what waits for its commit runs after it or never', async () => {
  const told: string[] = []
  await database.transact(async (tx) => {
    await row('kept').execute(tx)
    afterCommit(tx, () => told.push('kept'))
    expect(told).toEqual([])
  })
  const undone = database.transact(async (tx) => {
    await row('undone').execute(tx)
    afterCommit(tx, () => told.push('undone'))
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  expect([told, await keys()]).toEqual([['kept'], ['kept']])
})

let composed = 0
const valueOf = prepared((db, { key, most }: { key: string; most: number }) => {
  composed += 1
  return db.selectFrom('settings').select(['key', 'value']).where('key', '=', key).limit(most)
})

test('a prepared query is composed once and run with the values of each call, within transactions too', async () => {
  const found = await database.transact(async (tx) => {
    await row('mine').execute(tx)
    expect(await valueOf(tx, { key: 'none', most: 1 })).toEqual([])
    return valueOf(tx, { key: 'mine', most: 1 })
  })
  expect(found).toEqual([{ key: 'mine', value: '1' }])
  expect(await valueOf(database.read, { key: 'mine', most: 0 })).toEqual([])
  expect(await valueOf(database.read, { key: 'mine', most: 1 })).toEqual(found)
  expect(composed).toBe(1)
  await sql`delete from settings where key = 'mine'`.execute(database.read)
})

test('a prepared query sees nothing of a transaction that is open', async () => {
  const [changed, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const work = database.transact(async (tx) => {
    await row('half').execute(tx)
    changed.resolve()
    await end.promise
    throw new Error('no')
  })
  await changed.promise
  const seen = valueOf(database.read, { key: 'half', most: 1 })
  end.resolve()
  await expect(work).rejects.toThrow('no')
  expect(await seen).toEqual([])
})

test('a prepared query sees what was written since the one before it', async () => {
  const value = async () => (await valueOf(database.read, { key: 'turn', most: 1 })).map(({ value }) => value)
  expect(await value()).toEqual([])
  await row('turn').execute(database.read)
  expect(await value()).toEqual(['1'])
  await database.transact(async (tx) => {
    await sql`update settings set value = '2' where key = 'turn'`.execute(tx)
    expect(await valueOf(tx, { key: 'turn', most: 1 })).toEqual([{ key: 'turn', value: '2' }])
  })
  expect(await value()).toEqual(['2'])
  await sql`delete from settings where key = 'turn'`.execute(database.read)
  expect(await value()).toEqual([])
})

if (process.env.TEST_DATABASE !== 'postgres')
  test('however many statements ran once, one that comes again is prepared once', async () => {
    for (let n = 0; n < 600; n++) await sql.raw(`select ${n}`).execute(database.read)
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
    onTestFinished(() => prepare.mockRestore())
    for (let n = 0; n < 3; n++) await sql.raw('select 600').execute(database.read)
    expect(prepare.mock.calls).toEqual([['select 600']])
  })

if (process.env.TEST_DATABASE !== 'postgres')
  test('prepared queries leave the file to other processes once their turn has ended', async () => {
    const other = new DatabaseSync(join(home, 'forge.db'))
    onTestFinished(() => other.close())
    const add = (key: string) => other.exec(`insert into settings (key, value) values ('${key}', '1')`)
    const seen = async () => (await valueOf(database.read, { key: 'other', most: 1 })).length
    expect(await seen()).toBe(0)
    add('other')
    await new Promise(setImmediate)
    expect(await seen()).toBe(1)
    await new Promise(setImmediate)
    expect(other.prepare('pragma wal_checkpoint(truncate)').get()).toMatchObject({ busy: 0 })
    other.exec(`delete from settings where key = 'other'`)
  })

const roomOf = prepared((db, { id }: { id: string }) => db.selectFrom('applications').selectAll().where('id', '=', id))
/** Fails for the smallest number that there is. */
const magnitude = prepared((db, { number }: { number: string }) =>
  db.selectNoFrom(sql<number>`abs(cast(${number} as bigint))`.as('size')),
)

test('each of the prepared queries that are asked for together has its own rows, and one that fails fails alone', async () => {
  const smallest = -(2n ** 63n)
  const numbers = Array.from({ length: 20 }, (_, n) => String(n === 10 ? smallest : -n))
  const sizes = await Promise.all(
    numbers.map(async (number) =>
      magnitude(database.read, { number }).then(
        ([row]) => row?.size,
        () => 'refused',
      ),
    ),
  )
  expect(sizes).toEqual(numbers.map((_, n) => (n === 10 ? 'refused' : n)))
})

test('a prepared query goes on when its table has got another column', async () => {
  expect(await roomOf(database.read, { id: 'none' })).toEqual([])
  await sql`alter table applications add column later text`.execute(database.read)
  expect(await roomOf(database.read, { id: 'none' })).toEqual([])
  await sql`alter table applications drop column later`.execute(database.read)
  expect(await roomOf(database.read, { id: 'none' })).toEqual([])
})

if (process.env.TEST_DATABASE === 'postgres') {
  const slept = prepared((db, { seconds }: { seconds: number }) =>
    db.selectNoFrom(sql`pg_sleep(${seconds})`.as('pause')),
  )
  const mine = prepared((db) =>
    db.selectNoFrom([
      sql<number>`pg_backend_pid()`.as('pid'),
      sql<boolean>`exists (select from pg_prepared_statements where name like 'read%')`.as('isShared'),
    ]),
  )
  const connection = async () => (await mine(database.read, {}))[0]!

  /** Resolves to the connection that they share, once it is open. */
  async function opened(): Promise<number> {
    await expect.poll(async () => (await connection().catch(() => undefined))?.isShared).toBe(true)
    return (await connection()).pid
  }

  test('a hundred prepared queries at once share one connection, and another one when it was ended', async () => {
    const pid = await opened()
    const seen = await Promise.all(Array.from({ length: 100 }, connection))
    expect(new Set(seen.map((one) => one.pid))).toEqual(new Set([pid]))
    await sql`select pg_terminate_backend(${pid})`.execute(database.read)
    expect(await opened()).not.toBe(pid)
  })

  test('prepared queries of which each takes long do not hold up those that come later', async () => {
    await opened()
    let awake = 0
    const all = Array.from({ length: 50 }, () => slept(database.read, { seconds: 0.04 }).then(() => (awake += 1)))
    await sql`select pg_sleep(0.2)`.execute(database.read)
    await connection()
    expect(awake).toBeLessThan(45)
    await Promise.all(all)
  })
}

test('transactions that begin together do not see each other half done', async () => {
  await row('counter').execute(database.read)
  await Promise.all(
    Array.from({ length: 20 }, () =>
      database.transact(async (tx) =>
        sql`update settings set value = cast(cast(value as integer) + 1 as text) where key = 'counter'`.execute(tx),
      ),
    ),
  )
  const { rows } = await sql<{ value: string }>`select value from settings where key = 'counter'`.execute(database.read)
  expect(rows).toEqual([{ value: '21' }])
})

test('both of two transactions that wait for each other are done', async () => {
  for (const key of ['first', 'second']) await row(key).execute(database.read)
  const met = Promise.withResolvers<void>()
  let begun = 0
  const meet = async () => {
    begun += 1
    // The embedded database has one writer, who would wait for ever.
    if (begun === 2 || database.kind === 'sqlite') met.resolve()
    await met.promise
  }
  const raise = async (tx: Tx, key: string) =>
    sql`update settings set value = cast(cast(value as integer) + 1 as text) where key = ${key}`.execute(tx)
  const orders = [
    ['first', 'second'],
    ['second', 'first'],
  ]
  await Promise.all(
    orders.map((order) =>
      database.transact(async (tx) => {
        for (const key of order) {
          await raise(tx, key)
          await meet()
        }
      }),
    ),
  )
  const { rows } = await sql<{ value: string }>`select value from settings where key in ('first', 'second')`.execute(
    database.read,
  )
  expect(rows).toEqual([{ value: '3' }, { value: '3' }])
})

test('a refusal of the schema is told apart: taken, in use, or something else', async () => {
  await row('taken').execute(database.read)
  const faultOf = async (statement: ReturnType<typeof row>) =>
    statement.execute(database.read).then(() => 'none', brokenRule)
  expect(await faultOf(row('taken'))).toBe('unique')
  expect(
    await faultOf(
      sql`insert into applications (id, team_id, name, created_at, updated_at) values ('a', 'nobody', 'x', 1, 1)`,
    ),
  ).toBe('reference')
  expect(await faultOf(sql`insert into settings (key) values ('x')`)).toBeUndefined()
  expect(brokenRule(new Error('other'))).toBeUndefined()
})

test('times come out as numbers, flags as 0 and 1, texts as they went in', async () => {
  const now = Date.now()
  const text = 'Öl ☕ "quoted" \\ \n %_\''
  await sql`insert into team_types (id, name, description, active, properties, position, created_at) values ('t', ${text}, '', 1, '{"a":[1]}', 1, ${now})`.execute(
    database.read,
  )
  const { rows } = await sql`select name, active, created_at, properties from team_types`.execute(database.read)
  expect(rows).toEqual([{ name: text, active: 1, created_at: now, properties: '{"a":[1]}' }])
})

/** Every foreign key as `table.column`, and whether an index begins with it. */
const foreignKeys = {
  sqlite: sql<{ name: string; indexed: number }>`
    select m.name || '.' || f."from" as name, exists (
      select 1 from pragma_index_list(m.name) l join pragma_index_info(l.name) i where i.seqno = 0 and i.name = f."from") as indexed
    from sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table'`,
  postgres: sql<{ name: string; indexed: number }>`
    select c.conrelid::regclass::text || '.' || a.attname as name,
      (exists (select 1 from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]))::int as indexed
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1] where c.contype = 'f'`,
}

test('every foreign key has an index that begins with it', async () => {
  const { rows } = await foreignKeys[database.kind].execute(database.read)
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter(({ indexed }) => !indexed)).toEqual([])
})
