import { expect, test } from 'vitest'
import { restartText } from './restart-text.ts'

test('says when a crashed instance starts again, how often it crashed, and when its flows stay out', () => {
  const now = Date.parse('2026-11-21T10:00:00.000Z')
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()
  expect(restartText({ at: at(0), crashes: 1, safe: false }, now)).toBe('It starts again now.')
  expect(restartText({ at: at(39.5), crashes: 3, safe: false }, now)).toBe(
    'It starts again in 40 s, after the 3rd crash in a row.',
  )
  expect(restartText({ at: at(80), crashes: 5, safe: true }, now)).toBe(
    'It starts again in 1 min 20 s, without its flows, after the 5th crash in a row.',
  )
  expect(restartText({ at: at(300), crashes: 7, safe: true }, now)).toContain('in 5 min,')
})
