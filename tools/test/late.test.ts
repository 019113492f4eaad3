import { expect, test } from 'vitest'
import { openParts } from './late.ts'

/** The parts of a run whose long steps begin after these minutes. */
function partsOf(nodeRed: number, journeys: number) {
  const times = [nodeRed, journeys]
  const parts = openParts(() => times.shift()!)
  return [parts.for('node-red'), parts.for('journeys')]
}

test('a run does all unless it would be cut off on a machine that is too slow for it', () => {
  expect(partsOf(0, 0)).toEqual([undefined, undefined])
  expect(partsOf(12, 24)).toEqual([undefined, undefined])
  expect(partsOf(21, 42)).toEqual([undefined, undefined])
  expect(partsOf(22, 40)).toEqual(['1/2', undefined])
})

test('a slower one leaves files out of both of the long steps, and of the second alone where only that takes longer than it should', () => {
  expect(partsOf(30, 45)).toEqual(['1/2', '1/2'])
  expect(partsOf(40, 55)).toEqual(['1/3', '1/3'])
  expect(partsOf(60, 75)).toEqual(['1/4', '1/4'])
  expect(partsOf(20, 55)).toEqual([undefined, '1/2'])
})
