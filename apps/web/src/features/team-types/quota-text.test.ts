import { expect, test } from 'vitest'
import { exceededText, isFull, quotaText } from './quota-text.ts'

test('[MEMB-12] a quota says how much is used, and of how much where there is a limit', () => {
  expect([quotaText(4, 5), quotaText(4, null), quotaText(4, 0), quotaText(4, -1), quotaText(4, undefined)]).toEqual([
    '4 of 5',
    '4',
    '4',
    '4',
    '4',
  ])
})

test('a limit is full when it is reached, and one that is not known never', () => {
  expect(
    [
      { used: 5, limit: 5 },
      { used: 6, limit: 5 },
      { used: 4, limit: 5 },
      { used: 9, limit: null },
    ].map(isFull),
  ).toEqual([true, true, false, false])
  expect(isFull(undefined)).toBe(false)
})

test('what exceeds a limit is named with it', () => {
  const instanceType = { id: 'a', name: 'Large' }
  expect([
    exceededText({ what: 'members', used: 7, limit: 5 }),
    exceededText({ what: 'instanceType', used: 2, limit: 1, instanceType }),
    exceededText({ what: 'instanceType', used: 2, limit: 0, instanceType }),
  ]).toEqual(['7 of 5 members and invitations', '2 of 1 of type Large', '2 of type Large, which is not allowed'])
})
