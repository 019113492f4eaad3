import { expect, test } from 'vitest'
import { countsText, originOf, tabTexts, whoOf } from './version-text.ts'

const counts = { added: 2, changed: 0, removed: 1 }

test('a version says how it came about', () => {
  expect(originOf({ kind: 'deploy' })).toBe('Deployed')
  expect(originOf({ kind: 'restore', from: { id: 'v', createdAt: '2026-11-21T10:00:00.000Z' } })).toMatch(
    /^Restored from .*2026/,
  )
})

test('a person whom the instance only claims is told from one that is known', () => {
  const person = { id: 'u', name: 'Alice' }
  expect(whoOf({ user: person }, 'oven-line')).toBe('Alice')
  expect(whoOf({ claimedUser: person }, 'oven-line')).toBe('oven-line (says: Alice)')
  expect(whoOf({}, 'oven-line')).toBeUndefined()
})

test('counts leave out what is zero', () => {
  expect(countsText(counts)).toBe('2 added, 1 removed')
  expect(countsText({ added: 0, changed: 0, moved: 0, removed: 0 })).toBe('no nodes')
  expect(countsText({ added: 0, changed: 5, moved: 253, removed: 0 })).toBe('253 moved, 5 changed')
})

test('a few tabs are named, the others counted', () => {
  const tabs = ['Oven', 'Shop', undefined, 'Yard', 'Roof'].map((tab) => ({ ...(tab ? { tab } : {}), ...counts }))
  expect(tabTexts({ tabs })).toEqual([
    'Oven: 2 added, 1 removed',
    'Shop: 2 added, 1 removed',
    'On no tab: 2 added, 1 removed',
    '2 more tabs',
  ])
  expect(tabTexts({ tabs: tabs.slice(0, 4) }).at(-1)).toBe('1 more tab')
})
