import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { spaced } from './pace.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('so many pass at once, then so many in a second, and of those that wait the last', () => {
  const passed: number[] = []
  const values = spaced({ atOnce: 3, perSecond: 2 }, (value: number) => passed.push(value))
  for (let n = 1; n <= 1_000; n += 1) values.put(n)
  expect(passed).toEqual([1, 2, 3, 4])
  vi.advanceTimersByTime(500)
  expect(passed).toEqual([1, 2, 3, 4, 1_000])
  for (let n = 1; n <= 4_000; n += 1) {
    vi.advanceTimersByTime(1)
    values.put(n)
  }
  expect(passed.length).toBeLessThan(5 + 10)
  vi.advanceTimersByTime(10_000)
  expect(passed.at(-1)).toBe(4_000)
  for (const n of [1, 2, 3]) values.put(n)
  expect(passed.slice(-3)).toEqual([1, 2, 3])
})

test('nothing passes any more once it is closed', () => {
  const passed: number[] = []
  const values = spaced({ atOnce: 0, perSecond: 1 }, (value: number) => passed.push(value))
  values.put(1)
  values.put(2)
  values.close()
  vi.advanceTimersByTime(10_000)
  expect(passed).toEqual([1])
})
