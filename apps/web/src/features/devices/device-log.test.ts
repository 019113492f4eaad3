import { logEnds } from '@app/contract/constants'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerMs, type DeviceLogState, followDeviceLog } from './device-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A WebSocket that the test opens, speaks on and closes. */
class Socket extends EventTarget {
  close(): void {}
  open = () => this.dispatchEvent(new Event('open'))
  say = (body: unknown) => this.dispatchEvent(Object.assign(new Event('message'), { data: JSON.stringify(body) }))
  end = (code: number) => this.dispatchEvent(Object.assign(new Event('close'), { code }))
}

function follow() {
  const sockets: Socket[] = []
  let state: DeviceLogState | undefined
  const stop = followDeviceLog({
    open: () => sockets[sockets.push(new Socket()) - 1] as unknown as WebSocket,
    onState: (next) => (state = next),
  })
  return { sockets, stop, state: () => state?.state, lines: () => state?.lines.map(({ msg }) => msg) ?? [] }
}
const line = (n: number) => ({ ts: `170000000000${n}0000`, level: 'info', msg: `line ${n}` })

test('[DEV-38] lines come one by one or as an array, and those of before are not shown twice', () => {
  const { sockets, state, lines } = follow()
  sockets[0]!.open()
  sockets[0]!.say([line(1), line(2)])
  sockets[0]!.say(line(3))
  expect([state(), lines()]).toEqual(['live', ['line 1', 'line 2', 'line 3']])
  sockets[0]!.end(logEnds.again)
  expect(state()).toBe('opening')
  vi.advanceTimersByTime(1_000)
  sockets[1]!.open()
  sockets[1]!.say([line(2), line(3), line(4)])
  // An agent may say the same twice.
  sockets[1]!.say(line(4))
  expect(lines()).toEqual(['line 1', 'line 2', 'line 3', 'line 4', 'line 4'])
})

test('an agent that sends nothing is said to be silent, until it does', () => {
  const { sockets, state } = follow()
  sockets[0]!.open()
  vi.advanceTimersByTime(answerMs - 1)
  expect(state()).toBeUndefined()
  vi.advanceTimersByTime(1)
  expect(state()).toBe('silent')
  sockets[0]!.say([])
  expect(state()).toBe('live')
})

test('it is opened again later and later, and not where it is refused or not watched any more', () => {
  const { sockets, state, stop } = follow()
  for (const [n, wait] of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000].entries()) {
    sockets[n]!.end(n % 2 ? 1006 : logEnds.unconnected)
    expect(state()).toBe(n % 2 ? 'lost' : 'unconnected')
    vi.advanceTimersByTime(wait - 1)
    expect(sockets.length).toBe(n + 1)
    vi.advanceTimersByTime(1)
    expect(sockets.length).toBe(n + 2)
  }
  sockets.at(-1)!.end(logEnds.refused)
  vi.advanceTimersByTime(60_000)
  expect([state(), sockets.length]).toEqual(['refused', 7])
  stop()
  const other = follow()
  other.stop()
  other.sockets[0]!.end(1006)
  vi.advanceTimersByTime(60_000)
  expect(other.sockets.length).toBe(1)
})
