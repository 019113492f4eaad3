import { expect, test } from 'vitest'
import { dayKey, formatDuration, formatRelative } from './dates.ts'

const now = Date.UTC(2026, 10, 21, 12)
const minute = 60_000

test('a time is told in the largest unit that fits', () => {
  expect(formatRelative(now - 59_000, now)).toBe('just now')
  expect(formatRelative(now - 2 * minute, now)).toBe('2 minutes ago')
  expect(formatRelative(now - 26 * 60 * minute, now)).toBe('yesterday')
  expect(formatRelative(now - 3 * 24 * 60 * minute, now)).toBe('3 days ago')
})

test('a time to come is told as such', () => {
  expect(formatRelative(now + 30_000, now)).toBe('in a moment')
  expect(formatRelative(now + 5 * minute, now)).toBe('in 5 minutes')
})

test('a clock that is a little ahead does not speak of the future', () => {
  expect(formatRelative(now + 400, now)).toBe('just now')
})

test('a duration keeps the figures that matter', () => {
  expect(formatDuration(12.4)).toBe('12 ms')
  expect(formatDuration(180)).toBe('0.2 s')
  expect(formatDuration(59_970)).toBe('1 min 00 s')
  expect(formatDuration(65_400)).toBe('1 min 05 s')
})

test('a day is the day of the reader', () => {
  expect(dayKey(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05')
})
