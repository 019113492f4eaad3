import { expect, test } from 'vitest'
import { takeoverText } from './takeover-text.ts'

const why = 'The mqtt in node “orders” acts by itself.'

test('a takeover says how long no flows acted, and what was late or lost', () => {
  const counts = { gapMs: 1_240, late: 1, dropped: 12 }
  expect(takeoverText({ way: 'held', why, ...counts })).toBe(
    `Held · 1,240 ms without flows · 1 timer late · 12 messages lost · ${why}`,
  )
})

test('counts of nothing are left out', () => {
  expect(takeoverText({ way: 'held', why, gapMs: 90, late: 0, dropped: 0 })).toBe(`Held · 90 ms without flows · ${why}`)
  expect(takeoverText({ way: 'restart', why: 'Its modules change.' })).toBe('Restart · Its modules change.')
})
