import { expect, test } from 'vitest'
import { ordinal, plural } from './plural.ts'

test('[LICB-06] one event is an Event, all other numbers are Events', () => {
  expect(plural(1, 'Event')).toBe('1 Event')
  expect(plural(0, 'Event')).toBe('0 Events')
  expect(plural(2, 'match', 'matches')).toBe('2 matches')
})

test('places in a row', () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 102].map(ordinal)).toEqual([
    '1st',
    '2nd',
    '3rd',
    '4th',
    '11th',
    '12th',
    '13th',
    '21st',
    '102nd',
  ])
})
