import { expect, test } from 'vitest'
import { isMoving, pollWait } from './states.ts'

test('[INST-35] the first wait is a second, each further one 1.15 times as long', () => {
  expect([0, 1, 2].map((polls) => Math.round(pollWait(polls)))).toEqual([1000, 1150, 1322])
  expect(isMoving('starting')).toBe(true)
  expect(isMoving('running')).toBe(false)
  expect(isMoving(undefined)).toBe(false)
})
