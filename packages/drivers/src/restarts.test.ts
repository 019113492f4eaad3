import { expect, test } from 'vitest'
import type { Restart } from './driver.ts'
import { restartAfter } from './restarts.ts'

const crash = (endedAt: number, livedMs = 2_000, safe = false) => ({ startedAt: endedAt - livedMs, endedAt, safe })

/** Crashes again and again, two seconds after each start. */
function row(count: number, random = 0.5): { restart: Restart; waited: number }[] {
  const all: { restart: Restart; waited: number }[] = []
  for (let n = 0, now = 1_000_000; n < count; n += 1) {
    const before = all.at(-1)?.restart
    const restart = restartAfter(before, crash(now, 2_000, before?.safe), random)
    all.push({ restart, waited: restart.at - now })
    now = restart.at + 2_000
  }
  return all
}

test('a crash loop is started again after 0, 10, 20, 40, 80, 160 and then always 300 seconds', () => {
  expect(row(9).map(({ waited }) => waited / 1000)).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300])
  expect(row(9).map(({ restart }) => restart.crashes)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('the delays vary by a quarter, and never by more', () => {
  const of = (random: number) => row(7, random).map(({ waited }) => waited / 1000)
  expect(of(0)).toEqual([0, 7.5, 15, 30, 60, 120, 225])
  expect(of(1)).toEqual([0, 12.5, 25, 50, 100, 200, 375])
})

test('from the fifth crash in a row on it starts without its flows', () => {
  expect(row(7).map(({ restart }) => restart.safe)).toEqual([false, false, false, false, true, true, true])
})

test('ten quiet minutes end the row, a second less does not', () => {
  const previous = { crashes: 4, at: 0, safe: false }
  expect(restartAfter(previous, crash(5_000_000, 600_000), 0.5)).toEqual({ crashes: 1, at: 5_000_000, safe: false })
  expect(restartAfter(previous, crash(5_000_000, 599_000), 0.5)).toMatchObject({ crashes: 5, safe: true })
})

test('what runs without its flows is not given them back by itself, however long it was quiet', () => {
  const previous = { crashes: 5, at: 0, safe: true }
  expect(restartAfter(previous, crash(5_000_000, 700_000, true), 0.5)).toEqual({
    crashes: 1,
    at: 5_000_000,
    safe: true,
  })
})
