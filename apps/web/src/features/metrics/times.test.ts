import { expect, test } from 'vitest'
import { ticksOf, timeOfStep, usualWindow } from './times.ts'

const from = new Date(2026, 10, 21, 14, 0, 0).getTime()

test('times are as exact as the step is long', () => {
  expect(timeOfStep({ from, step: 15, length: 60 }, 1)).toMatch(/00.15/)
  expect(timeOfStep({ from, step: 60, length: 60 }, 5)).toMatch(/^\d{1,2}.05(?! *:)/)
  expect(timeOfStep({ from, step: 600, length: 1_008 }, 0)).toMatch(/Nov/)
})

test('the axis has five times, no two the same', () => {
  for (const steps of [
    { from, step: 15, length: 60 },
    { from, step: 60, length: 1_440 },
    { from, step: 600, length: 1_008 },
  ])
    expect(new Set(ticksOf(steps, 4)).size).toBeGreaterThanOrEqual(4)
})

test('a young instance is looked at from nearer', () => {
  const created = new Date(from).toISOString()
  expect(usualWindow(created, from + 10 * 60_000)).toBe('15m')
  expect(usualWindow(created, from + 50 * 60_000)).toBe('1h')
})
