import type { LogEntry } from '@app/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, NetworkError } from '../../lib/api.ts'
import { createLogTail, type LogFilter, linesMax, type LogPage, type LogTailState, warningOf } from './log-tail.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const entry = (n: number): LogEntry => ({ ts: String(n).padStart(17, '1'), level: 'info', msg: `line ${n}` })
const entries = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => entry(from + n))

/** A tail whose answers are given one after the other; what is asked for is noted. */
function open(answers: (LogPage | Error)[], filter: LogFilter = {}) {
  const asked: unknown[] = []
  const errors: unknown[] = []
  const seen: { state?: LogTailState } = {}
  const tail = createLogTail({
    filter,
    read: async (query) => {
      asked.push(query)
      const answer = answers.shift() ?? { log: [], meta: {} }
      if (answer instanceof Error) throw answer
      return answer
    },
    onState: (state) => void (seen.state = state),
    onError: (error) => void errors.push(error),
  })
  tail.start()
  return { tail, asked, errors, lines: () => seen.state?.lines?.map(({ msg }) => msg), state: () => seen.state! }
}
const page = (log: LogEntry[], next: string, previous?: string): LogPage => ({
  log,
  meta: { next_cursor: next, ...(previous ? { previous_cursor: previous } : {}) },
})

test('[NRLOG-07] [NRLOG-12] asks every 5,000 ms with the last cursor, and for earlier lines with the one before', async () => {
  const { tail, asked, lines } = open([page([entry(3)], '3', '-3'), page([entry(4)], '4'), page([], '4')])
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual([{ limit: 500 }])
  await vi.advanceTimersByTimeAsync(4_999)
  expect(asked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(asked.slice(1)).toEqual([{ cursor: '3', limit: 1_000 }])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(asked.slice(2)).toEqual([{ cursor: '4', limit: 1_000 }])
  await tail.loadEarlier()
  expect(asked.slice(3)).toEqual([{ cursor: '-3', limit: 1_000 }])
  expect(lines()).toEqual(['line 3', 'line 4'])
  tail.stop()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(asked).toHaveLength(4)
})

test('keeps so many lines and no more; what gave way can be asked for again', async () => {
  const { state } = open([page(entries(0, linesMax), 'a', '-old'), page(entries(linesMax, linesMax + 700), 'b')])
  await vi.advanceTimersByTimeAsync(5_000)
  expect([state().lines!.length, state().lines![0]!.msg, state().lines!.at(-1)!.msg]).toEqual([
    linesMax,
    'line 700',
    `line ${linesMax + 699}`,
  ])
  expect(state().previous).toBe(`-${entry(700).ts}`)
})

test('a search goes on by itself until it was everywhere', async () => {
  const { asked, lines, state } = open([page([entry(9)], '9', '-6'), page([], '9', '-3'), page([entry(1)], '9')], {
    search: 'line',
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual([{ limit: 500 }, { cursor: '-6', limit: 1_000 }, { cursor: '-3', limit: 1_000 }])
  expect(lines()).toEqual(['line 1', 'line 9'])
  expect([state().previous, state().loadingEarlier]).toEqual([undefined, false])
})

test('[NRLOG-09] what cannot be reached is said until it answers again', async () => {
  const { state, errors } = open([new ApiError(503, {}), page([entry(1)], '1')])
  await vi.advanceTimersByTimeAsync(0)
  expect([state().unreachable, warningOf(errors[0])]).toEqual([
    true,
    'The Node-RED instance cannot be reached at this time. Please wait...',
  ])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(state().unreachable).toBe(false)
})

test('[NRLOG-10] a failure of the platform, and a suspension, are silent', () => {
  expect(warningOf(new ApiError(500, { error: 'oh' }))).toBeUndefined()
  expect(warningOf(new ApiError(400, { code: 'project_suspended' }))).toBeUndefined()
  expect(warningOf(new NetworkError('away'))).toBeUndefined()
})

test('[NRLOG-11] any other failure is said with its reason', () => {
  expect(warningOf(new ApiError(404, { error: 'Not found' }))).toBe('Could not get Node-RED logs: Not found')
})
