import { expect, test } from 'vitest'
import { seenState } from './last-seen.ts'

test('[DEV-42] a device is seen well for a minute and a half, then doubtfully, and after three minutes badly', () => {
  expect([89_000, 120_000, 181_000, null].map(seenState)).toEqual(['running', 'safe', 'error', 'never'])
  expect([0, 89_999, 90_000, 180_000, 180_001].map(seenState)).toEqual(['running', 'running', 'safe', 'safe', 'error'])
})
