import { expect, test } from 'vitest'
import { breachesIn, ownersIn } from './tables.rules.ts'

const owner = {
  path: 'features/ovens/ovens.store.ts',
  text: `declare module '../../platform/db/tables.ts' {
  interface Tables {
    ovens: OvenRow
  }
}
db.insertInto('ovens')`,
}
const foreign = (text: string) => ({ path: 'features/breads/breads.store.ts', text })
const told = (text: string) => {
  const sources = [owner, foreign(text)]
  return breachesIn(sources, ownersIn(sources)).map(({ line, sentence }) => `${line} ${sentence}`)
}

test('a table is written by the feature that declares it alone', () => {
  const sentence = 'ovens belongs to ovens: call its index.ts, or announce it with a hook'
  expect(told("\ntx.updateTable('ovens')")).toEqual([`2 ${sentence}`])
  expect(told("tx\n  .deleteFrom(\n    'ovens',\n  )")).toEqual([`2 ${sentence}`])
  expect(told("tx.insertInto('breads')")).toEqual([])
})

test('it is read by others only where it is shared', () => {
  expect(told("db.selectFrom('breads').innerJoin('ovens as oven')")).toEqual([
    '1 ovens belongs to ovens: ask it through its index.ts, or let it share the table',
  ])
  const sharing = { path: 'features/ovens/ovens.feature.ts', text: "{\n  name: 'ovens',\n  shares: ['ovens'],\n}" }
  const stolen = { path: 'features/breads/breads.feature.ts', text: sharing.text }
  const reader = foreign("db.selectFrom('ovens')")
  const count = (...more: (typeof reader)[]) => breachesIn([owner, reader, ...more], ownersIn([owner])).length
  expect([count(), count(stolen), count(sharing)]).toEqual([1, 1, 0])
  expect(told("db.selectFrom(['breads', 'ovens as oven'])")).toHaveLength(1)
})

test('SQL as text is read as well', () => {
  expect(told('sql`update breads set a = 1`')).toEqual([])
  expect(told("\nsql<number>`select 1 from ovens where a = 'b'`")).toEqual([
    '2 ovens belongs to ovens: ask it through its index.ts, or let it share the table',
  ])
  expect(told("const text = 'delete from ovens where a = 1'")).toEqual([
    '1 ovens belongs to ovens: call its index.ts, or announce it with a hook',
  ])
  expect(told('/* bread from ovens */')).toEqual([])
})

test('a table in a variable is one of those that the file names for it', () => {
  expect(told("(table: 'breads' | 'ovens') => db.selectFrom(table)")).toHaveLength(1)
  expect(told("for (const table of ['breads', 'ovens'] as const) await tx.deleteFrom(table)")).toHaveLength(1)
  expect(told("(table: 'breads') => db.selectFrom(table)")).toEqual([])
  expect(told('db.selectFrom(table)')).toEqual(["1 name the tables in the type of the variable: 'breads' | 'ovens'"])
  expect(told("db.selectFrom(some.as('some'))")).toEqual([])
})

test('a column that its owner hides is in no query of others, whatever the table is called there', () => {
  const feature = {
    path: 'features/ovens/ovens.feature.ts',
    text: "{\n  shares: ['ovens'],\n  hides: ['ovens.heat'],\n}",
  }
  const count = (text: string) => breachesIn([owner, feature, foreign(text)], ownersIn([owner])).length
  expect(count("db.selectFrom('ovens').select('id')")).toBe(0)
  expect(count("db.selectFrom('ovens').selectAll()")).toBe(1)
  expect(count("db.selectFrom('breads').innerJoin('ovens as oven', f).selectAll('oven')")).toBe(1)
  expect(count("db.selectFrom('ovens as oven').where('oven.heat', '=', 1)")).toBe(1)
  expect(count("db.selectFrom('breads').selectAll()")).toBe(0)
})

test('two features cannot declare the same table', () => {
  expect(() => ownersIn([owner, { ...owner, path: 'features/breads/breads.store.ts' }])).toThrow('a second time')
})
