import { expect, test } from 'vitest'
import { byState, linePath, scaleFor, totals } from './statistics.ts'

const point = (hour: number, states: Record<string, number>) => ({
  at: new Date(hour * 3_600_000).toISOString(),
  userCount: 2 + hour,
  teamCount: 1,
  instanceCount: Object.values(states).reduce((sum, n) => sum + n, 0),
  instancesByState: states,
  deviceCount: 0,
})
const points = [point(0, { running: 1 }), point(1, { running: 3, suspended: 5 })]

test('a state in which nothing was counts as none, and the most frequent at last comes first', () => {
  expect(byState(points)).toEqual([
    { name: 'suspended', values: [0, 5] },
    { name: 'running', values: [1, 3] },
  ])
  expect(totals(points).map(({ values }) => values)).toEqual([
    [2, 3],
    [1, 1],
    [1, 8],
    [0, 0],
  ])
})

test.each([
  [0, 4],
  [3, 4],
  [5, 5],
  [7, 10],
  [11, 20],
  [399, 400],
  [401, 500],
  [501, 1000],
])('the scale for at most %i ends at %i', (most, top) => {
  expect(scaleFor(most)).toBe(top)
})

test('a line goes through the box by time, and one point alone is a place', () => {
  expect(linePath([0, 10, 40], [0, 2, 4], 4, { width: 100, height: 50 })).toBe('M0.0 50.0L25.0 25.0L100.0 0.0')
  expect(linePath([7], [1], 4, { width: 100, height: 40 })).toBe('M0.0 30.0')
})
