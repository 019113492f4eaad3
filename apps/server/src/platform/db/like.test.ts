import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseUrl } from '../../../testing/index.ts'
import { type Database, openDatabase } from './database.ts'
import { contains } from './like.ts'

const names = ['oven_1', 'oven-1', 'ovens 1', '100% rye', '1000 rye', 'a\\b', 'a/b', 'ölofen']
let home: string
let database: Database
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'forge-like-'))
  database = await openDatabase({ home, url: await databaseUrl() })
  await sql`create table ovens (name_key text not null)`.execute(database.read)
  await sql`insert into ovens values ${sql.join(names.map((name) => sql`(${name})`))}`.execute(database.read)
})
afterAll(async () => {
  await database.close()
  await rm(home, { recursive: true, force: true })
})

test.each([
  ['_', ['oven_1']],
  ['N_1', ['oven_1']],
  ['%', ['100% rye']],
  ['0% R', ['100% rye']],
  ['\\', ['a\\b']],
  ['a\\b', ['a\\b']],
  ['oven', ['oven_1', 'oven-1', 'ovens 1']],
  ['ÖLO', ['ölofen']],
  ['%%', []],
])('%s is found as it is written, in any case', async (text, found) => {
  const { rows } = await sql<{ name_key: string }>`
    select name_key from ovens where ${contains(sql.ref('name_key'), text)}`.execute(database.read)
  expect(rows.map((row) => row.name_key).toSorted()).toEqual(found.toSorted())
})
