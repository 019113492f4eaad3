import { expect, test } from 'vitest'
import { groupByDay } from './audit-days.ts'

const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime()

test('[AUDIT-04] entries are grouped by the day of the reader, in their order', () => {
  const days = groupByDay([{ time: at(21, 9) }, { time: at(21, 0) }, { time: at(20, 23) }, { time: at(3, 5) }])
  expect(days.map((day) => [day.key, day.entries.length])).toEqual([
    ['2026-11-21', 2],
    ['2026-11-20', 1],
    ['2026-11-03', 1],
  ])
})
