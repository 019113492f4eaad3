/** So much in one go; what was used comes back over time. */
export interface Pace {
  atOnce: number
  perSecond: number
}

/** Counts what is used of a pace. */
export function createPace({ atOnce, perSecond }: Pace) {
  let left = atOnce
  let at = performance.now()
  return {
    /** Uses so much, there or not; returns the milliseconds until it is made up for. */
    take(amount: number): number {
      const now = performance.now()
      left = Math.min(atOnce, left + ((now - at) * perSecond) / 1000) - amount
      at = now
      return left >= 0 ? 0 : (-left * 1000) / perSecond
    },
  }
}

/** Passes values on at a pace. What comes faster waits, and gives way to what comes after it, so that the last counts. */
export function spaced<T>(pace: Pace, pass: (value: T) => void) {
  const used = createPace(pace)
  let waiting: { value: T } | undefined
  let timer: NodeJS.Timeout | undefined
  function passNow(value: T): void {
    const wait = used.take(1)
    if (wait > 0) timer = setTimeout(next, wait).unref()
    pass(value)
  }
  function next(): void {
    timer = undefined
    const found = waiting
    waiting = undefined
    if (found) passNow(found.value)
  }
  return {
    put(value: T): void {
      if (timer) waiting = { value }
      else passNow(value)
    },
    /** Nothing is passed on any more. */
    close(): void {
      clearTimeout(timer)
      waiting = undefined
    },
  }
}
