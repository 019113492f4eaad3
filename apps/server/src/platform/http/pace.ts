/** Rate limit within a window; `take` counts one more. */
export interface Pace {
  most: number
  /** Seconds to wait when the key has had its share, else 0; `first` for the first refusal of a window. */
  take(key: string): { wait: number; first: boolean }
  /** Seconds to wait when the key has had its share, else 0; counts nothing. */
  wait(key: string): number
}

/**
 * Counts by key in windows that are the same for all keys, in this process alone: nothing is written, and what is kept
 * ends with the window. `now` and `windowMs` are milliseconds.
 */
export function createPace(now: () => number, most: number, windowMs: number): Pace {
  let counts = new Map<string, number>()
  let window = 0

  /** The window as of now; counts of the former are forgotten. */
  function turn(): number {
    const at = now()
    const current = Math.floor(at / windowMs)
    if (current !== window) counts = new Map()
    window = current
    return Math.ceil(((current + 1) * windowMs - at) / 1000)
  }
  return {
    most,
    take(key) {
      const rest = turn()
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return { wait: count > most ? rest : 0, first: count === most + 1 }
    },
    wait(key) {
      const rest = turn()
      return (counts.get(key) ?? 0) >= most ? rest : 0
    },
  }
}
