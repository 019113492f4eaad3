import type { Driver } from '@app/drivers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Activity } from '../sleep/index.ts'
import { createTraffic, patienceMs } from './proxy.traffic.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const endpoint = { socketPath: '/oven' }
// Stubs: one process serves, and nobody counts what is asked of it.
const driver = { pair: { serving: () => [{ slot: 0, endpoint }] } } as unknown as Driver
const activity = { beginOf: () => () => () => {} } as unknown as Activity

test.each([
  ['one that has waited for most of its patience only for the rest', 300, 300],
  ['one that comes anew for all of it', undefined, patienceMs],
])('while a version takes over, a request waits for what serves afterwards: %s', async (_, left, most) => {
  const traffic = createTraffic({ driver, activity })
  void traffic.during('oven', () => new Promise(() => {}))
  const until = left === undefined ? undefined : Date.now() + left
  const { spare } = traffic.next('oven', undefined, until)!
  let found: unknown
  void (spare as () => Promise<unknown>)().then((one) => (found = one))
  await vi.advanceTimersByTimeAsync(most - 1)
  expect(found).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(found).toBe(endpoint)
})
