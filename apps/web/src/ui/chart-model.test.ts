import { expect, test } from 'vitest'
import { indexAt, lastOf, runsOf, topOf } from './chart-model.ts'

test('the scale ends at a round number above the greatest value', () => {
  expect([topOf([0.03, null], 0.1), topOf([0.42], 0.1), topOf([61, 140], 10), topOf([1_201], 10)]).toEqual([
    0.1, 0.5, 150, 1_500,
  ])
  expect(topOf([null, null], 10)).toBe(10)
})

test('a gap is a gap, and a step alone is a point', () => {
  const lines = runsOf([0, 50, null, null, 100, null], 100).map(({ line }) => line)
  expect(lines).toEqual(['M83.3 100L250 50', 'M750 0h0.01'])
  expect(runsOf([null, null], 1)).toEqual([])
})

test('what is above the scale stays at its top', () => {
  expect(runsOf([300, 300], 100)[0]!.line).toBe('M250 0L750 0')
})

test('every place belongs to a step', () => {
  expect([indexAt(-1, 4), indexAt(0, 4), indexAt(0.6, 4), indexAt(1, 4)]).toEqual([0, 0, 2, 3])
})

test('the value of now is the newest, unless nothing was measured for a while', () => {
  expect([lastOf([1, 2, null]), lastOf([null])]).toEqual([2, null])
  expect([lastOf([1, 2, null, null, null]), lastOf([1, 2, null, null, null, null])]).toEqual([2, null])
})
