import { useSyncExternalStore } from 'react'

type Clock = { now: number; listeners: Set<() => void>; timer: ReturnType<typeof setInterval> | undefined }
const clocks = new Map<number, Clock>()

/**
 * The current time in ms, renewed every `interval` ms. All users of one interval share one timer, so a table of a
 * thousand relative times costs one. Interval 0 stands still.
 */
export function useNow(interval: number): number {
  return useSyncExternalStore(
    (listener) => listen(clockOf(interval), interval, listener),
    () => clockOf(interval).now,
  )
}

function clockOf(interval: number): Clock {
  let clock = clocks.get(interval)
  if (!clock) {
    clock = { now: Date.now(), listeners: new Set(), timer: undefined }
    clocks.set(interval, clock)
  }
  return clock
}

function listen(clock: Clock, interval: number, listener: () => void): () => void {
  clock.listeners.add(listener)
  if (interval > 0 && clock.timer === undefined) {
    const tick = () => {
      clock.now = Date.now()
      for (const each of clock.listeners) each()
    }
    // Time went by while nobody looked.
    queueMicrotask(tick)
    clock.timer = setInterval(tick, interval)
  }
  return () => {
    clock.listeners.delete(listener)
    if (clock.listeners.size > 0) return
    clearInterval(clock.timer)
    clock.timer = undefined
  }
}
