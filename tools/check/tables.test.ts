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
  expect(told("db.selectFrom(['ovens'])")).toHaveLength(1)
})

test('two features cannot declare the same table', () => {
  expect(() => ownersIn([owner, { ...owner, path: 'features/breads/breads.store.ts' }])).toThrow('a second time')
})
