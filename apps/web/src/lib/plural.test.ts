import { expect, test } from 'vitest'
import { plural } from './plural.ts'

test('[LICB-06] one event is an Event, all other numbers are Events', () => {
  expect(plural(1, 'Event')).toBe('1 Event')
  expect(plural(0, 'Event')).toBe('0 Events')
  expect(plural(2, 'match', 'matches')).toBe('2 matches')
})
