import { expect, test } from 'vitest'
import { takeoverItems } from './takeover-text.ts'

const why = 'The mqtt in node “orders” acts by itself.'

test('a takeover says how long no flows ran, and which messages were late or lost', () => {
  expect(takeoverItems({ way: 'held', why, gapMs: 1_240, late: 2, dropped: 12 })).toEqual([
    { label: 'Takeover', value: `Held. ${why}` },
    { label: 'Interruption', value: 'No flows ran for 1,240 ms.' },
    { label: 'Messages', value: '2 timed messages late by up to 1,240 ms. 12 messages of nodes lost.' },
  ])
  expect(takeoverItems({ way: 'held', why, gapMs: 120, late: 1, dropped: 0 })[2]?.value).toBe(
    '1 timed message late by up to 120 ms.',
  )
})

test('nothing late or lost is said too, and what was not counted is left out', () => {
  expect(takeoverItems({ way: 'held', why, gapMs: 90, late: 0, dropped: 0 })[2]?.value).toBe(
    'No messages were delayed or lost.',
  )
  expect(takeoverItems({ way: 'held', why, gapMs: 90 }).map(({ label }) => label)).toEqual(['Takeover', 'Interruption'])
  expect(takeoverItems({ way: 'restart', why: 'Its modules change.' })).toEqual([
    { label: 'Takeover', value: 'Restart. Its modules change.' },
  ])
})
