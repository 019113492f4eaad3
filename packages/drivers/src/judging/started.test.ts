import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Driver, InstanceStatus } from '../driver.ts'
import { untilStarted, untilStartedBy } from './started.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const hung: InstanceStatus = { state: 'unknown', reason: 'A flow has not let anything else run' }

/** An instance that starts and then hangs, by a driver that tells its status. */
function hanging() {
  let tell: (status: InstanceStatus) => void = () => {}
  const driver = {
    status: async () => ({ state: 'starting' }),
    watch(listener: (id: string, status: InstanceStatus) => void) {
      tell = (status) => listener('oven', status)
      return () => {}
    },
  } as unknown as Driver
  return { driver, tell: (status: InstanceStatus) => tell(status) }
}

/** The outcome so far, after a while. */
async function outcomeOf(wait: Promise<unknown>, afterMs: number): Promise<string> {
  let outcome = 'waits'
  wait.then(
    () => (outcome = 'runs'),
    (error: Error) => (outcome = error.message),
  )
  await vi.advanceTimersByTimeAsync(afterMs)
  return outcome
}

test('new contents that hang are given up ten seconds after the driver has found that they do', async () => {
  const { driver, tell } = hanging()
  const wait = untilStarted(driver, 'oven', { isJudged: true })
  await outcomeOf(wait, 1)
  tell(hung)
  expect(await outcomeOf(wait, 9_900)).toBe('waits')
  expect(await outcomeOf(wait, 200)).toContain('endless loop')
})

test('a start that was silent for a while, and goes on, is not', async () => {
  const { driver, tell } = hanging()
  const wait = untilStarted(driver, 'oven', { isJudged: true })
  await outcomeOf(wait, 1)
  tell(hung)
  await outcomeOf(wait, 9_000)
  tell({ state: 'starting' })
  await outcomeOf(wait, 9_000)
  tell(hung)
  expect(await outcomeOf(wait, 9_000)).toBe('waits')
  tell({ state: 'running' })
  expect(await outcomeOf(wait, 0)).toBe('runs')
})

test('what served before has two minutes', async () => {
  const { driver, tell } = hanging()
  const wait = untilStarted(driver, 'oven')
  await outcomeOf(wait, 1)
  tell(hung)
  expect(await outcomeOf(wait, 119_000)).toBe('waits')
  expect(await outcomeOf(wait, 1_000)).toContain('within two minutes')
})

test('of a process that is looked at the same is told', async () => {
  const first = Promise.withResolvers<void>()
  const look = async () => {
    first.resolve()
    return hung
  }
  const wait = untilStartedBy(look, { isJudged: true })
  await first.promise
  expect(await outcomeOf(wait, 9_900)).toBe('waits')
  expect(await outcomeOf(wait, 200)).toContain('endless loop')
})
