import { useSyncExternalStore } from 'react'

interface Clock {
  /** The same function for all and for ever: React subscribes anew to another one, at each render. */
  subscribe(listener: () => void): () => void
  now(): number
}
const clocks = new Map<number, Clock>()

/**
 * The current time in ms, renewed every `interval` ms. All users of one interval share one timer, so a table of a
 * thousand relative times costs one. Interval 0 stands still.
 */
export function useNow(interval: number): number {
  const { subscribe, now } = clockOf(interval)
  return useSyncExternalStore(subscribe, now)
}

function clockOf(interval: number): Clock {
  let clock = clocks.get(interval)
  if (!clock) {
    clock = createClock(interval)
    clocks.set(interval, clock)
  }
  return clock
}

function createClock(interval: number): Clock {
  const listeners = new Set<() => void>()
  let time = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    time = Date.now()
    for (const each of listeners) each()
  }
  return {
    now: () => time,
    subscribe(listener) {
      listeners.add(listener)
      if (interval > 0 && timer === undefined) {
        // Time went by while nobody looked.
        queueMicrotask(tick)
        timer = setInterval(tick, interval)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
