import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseUrl } from '../../../testing/index.ts'
import { type Database, openDatabase } from './database.ts'
import { addWords, matchWords, mostCounted, replaceWords, type WordIndex, wordsOf } from './words.ts'

const index: WordIndex = { table: 'thing_words', id: 'thing_id' }
let home: string
let database: Database
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'forge-words-'))
  database = await openDatabase({ home, url: await databaseUrl() })
  const text = sql.raw(database.kind === 'postgres' ? 'text collate "C"' : 'text')
  await sql`create table thing_words (thing_id text not null, word ${text} not null, primary key (thing_id, word))`.execute(
    database.read,
  )
  await sql`create index thing_words_word on thing_words (word, thing_id)`.execute(database.read)
  await sql`create table things (id text primary key)`.execute(database.read)
})
afterAll(async () => {
  await database.close()
  await rm(home, { recursive: true, force: true })
})

async function add(id: string, ...texts: string[]): Promise<void> {
  await sql`insert into things values (${id})`.execute(database.read)
  await database.transact((tx) => addWords(tx, index, id, texts))
}
async function find(query: string) {
  const match = await matchWords(database.read, index, query)
  const { rows } = await sql<{ id: string }>`
    select id from things where ${match.holds('things.id')} order by id limit 3`.execute(database.read)
  return { count: match.count, ids: rows.map(({ id }) => id) }
}

test('words are lower case, without accents and decoration, each once', () => {
  expect(wordsOf('Ölmühle  GmbH', 'a.liddell@example.com', 'Gmbh_x-9')).toEqual([
    'olmuhle',
    'gmbh',
    'a',
    'liddell',
    'example',
    'com',
    'x',
    '9',
  ])
  expect(wordsOf('ａｌｉｃｅ ①')).toEqual(['alice', '1'])
  expect(wordsOf(' %_\\\'"; ')).toEqual([])
})

test('a word is found by how it begins, and several words by all of them, however they are written', async () => {
  await add('a1', 'Alice Liddell', 'alice@example.com')
  await add('a2', 'Álvaro Liddle', 'alvaro@example.com')
  await add('a3', 'Bob', 'bob@example.com')
  expect(await find('lidd')).toEqual({ count: 2, ids: ['a1', 'a2'] })
  expect(await find('ALV liddl')).toEqual({ count: 1, ids: ['a2'] })
  expect(await find('alice@example.c')).toEqual({ count: 1, ids: ['a1'] })
  expect(await find('al')).toEqual({ count: 2, ids: ['a1', 'a2'] })
  expect((await find('bob alice')).ids).toEqual([])
  for (const nothing of ['ddell', '%', '_', "' or 1=1 --"]) expect(await find(nothing)).toEqual({ count: 0, ids: [] })
  await database.transact((tx) => replaceWords(tx, index, 'a3', ['Carol']))
  expect([(await find('bob')).ids, (await find('carol')).ids]).toEqual([[], ['a3']])
})

test('what very many have is counted up to a limit, and its first page is found all the same', async () => {
  const many = mostCounted + 50
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(many)})`
  const id = sql.raw(database.kind === 'postgres' ? `'m' || lpad(i::text, 6, '0')` : `printf('m%06d', i)`)
  await sql`insert into things ${numbers} select ${id} from n`.execute(database.read)
  await sql`insert into thing_words ${numbers} select ${id}, 'common' from n`.execute(database.read)
  await add('z', 'common rare')
  expect(await find('comm')).toEqual({ count: mostCounted, ids: ['m000001', 'm000002', 'm000003'] })
  expect(await find('common rare')).toEqual({ count: 1, ids: ['z'] })
})
