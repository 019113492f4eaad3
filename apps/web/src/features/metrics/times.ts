import type { MetricWindow } from '@app/contract'

const day = 24 * 3_600_000
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const seconds = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const date = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })

export interface Steps {
  /** Milliseconds since the epoch. */
  from: number
  /** Seconds. */
  step: number
  length: number
}

/** When a step began, as exactly as its length deserves. */
export function timeOfStep({ from, step, length }: Steps, index: number): string {
  const at = from + index * step * 1_000
  if (step < 60) return seconds.format(at)
  return step * length * 1_000 > day ? `${date.format(at)}, ${clock.format(at)}` : clock.format(at)
}

/** Texts along the axis of time, evenly apart, one more than `parts`. */
export function ticksOf({ from, step, length }: Steps, parts: number): string[] {
  const span = step * length * 1_000
  return Array.from({ length: parts + 1 }, (_, n) => {
    const at = from + (span * n) / parts
    return span > day ? date.format(at) : clock.format(at)
  })
}

/** Initial time window: of a young instance the last minutes, since an hour would show next to nothing. */
export function usualWindow(createdAt: string, now = Date.now()): MetricWindow {
  return now - Date.parse(createdAt) < 45 * 60_000 ? '15m' : '1h'
}
