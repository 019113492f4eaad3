import { expect, test } from 'vitest'
import { checksumOf, judgeMigrations } from './migrations.ts'

const name = '0001-one.ts'
const body = (sql: string) => `export async function up(db) {\n  await run(\`${sql}\`)\n}\n`

test('comments and layout of a migration may change, and nothing else', () => {
  const first = checksumOf(name, body('create table one (id text)'))
  expect(checksumOf(name, `/** Why. */\n${body('create table one\n    (id text)')} // more\n`)).toBe(first)
  expect(checksumOf(name, body('create table one (id text not null)'))).not.toBe(first)
  expect(checksumOf(name, body('create table one (id text) -- // no comment of the program'))).not.toBe(first)
})

test('a recorded migration that was changed or removed is named; a new one is not', () => {
  const recorded = { '0001-one.ts': 'a', '0002-two.ts': 'b', '0003-three.ts': 'c' }
  const problems = judgeMigrations(recorded, { '0001-one.ts': 'a', '0002-two.ts': 'other', '0004-four.ts': 'd' })
  expect(problems).toEqual([
    expect.stringMatching(/^0002-two.ts was changed .* Write a new migration/),
    expect.stringMatching(/^0003-three.ts is recorded, and the file is gone/),
  ])
})
