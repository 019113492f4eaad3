import { expect, test } from 'vitest'
import { popularTable, readPopular, writtenTable } from './popular.table.ts'

test('the handbook shows the popular modules as they were tried last', () => {
  expect(writtenTable()).toBe(popularTable(readPopular()))
})

test('every popular module that the registry can deliver works on both versions of Node-RED', () => {
  const outcomes = readPopular().flatMap(({ module, outcomes: of }) => Object.values(of).map((said) => [module, said]))
  const others = outcomes.filter(([, said]) => said !== 'works')
  expect(outcomes.length - others.length).toBeGreaterThanOrEqual(2 * 20)
  expect(outcomes).toContainEqual(['node-red-node-email', 'works'])
  for (const [, said] of others) expect(said).toMatch(/has no module named|cannot reach that host/)
})
