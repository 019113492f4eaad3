import type { Restart } from './driver.ts'

const delaysMs = [0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000]
/** A quarter more or less, so that what crashed together does not start together. */
const jitter = 0.25
const quietMs = 10 * 60_000
/** This many crashes in a row are due to the flows, and the next start leaves them out. */
const safeAfter = 5

export interface Crash {
  /** When the process that crashed was started, and when it ended; milliseconds since the epoch. */
  startedAt: number
  endedAt: number
  /** Did it run without its flows? */
  safe: boolean
}

/**
 * When to start a crashed instance again: after 0, 10, 20, 40, 80, 160 and then always 300 seconds, from the fifth
 * crash in a row on without its flows. Ten minutes without a crash end the row. What runs without its flows goes on
 * so until a person starts it. `random` from 0 to 1.
 */
export function restartAfter(previous: Restart | undefined, crash: Crash, random: number): Restart {
  const wasQuiet = crash.endedAt - crash.startedAt >= quietMs
  const crashes = wasQuiet ? 1 : (previous?.crashes ?? 0) + 1
  const delay = delaysMs[Math.min(crashes, delaysMs.length) - 1]!
  return {
    crashes,
    at: crash.endedAt + Math.round(delay * (1 - jitter + 2 * jitter * random)),
    safe: crash.safe || crashes >= safeAfter,
  }
}
