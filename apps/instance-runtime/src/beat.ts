import type { Beat } from '@app/contract/instance-link'
import { beatMs } from '@app/contract/instance-link.constants'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'

/** Between two looks at the clock. At ten in a second the looks are half of what an idle instance does. */
const resolution = 1_000

/** Beats as long as somebody listens: without a platform nothing wakes this process. */
export function createBeat() {
  const listeners = new Set<(beat: Beat) => void>()
  const delays = monitorEventLoopDelay({ resolution })
  let timer: NodeJS.Timeout | undefined
  let before = performance.eventLoopUtilization()

  function beat(): void {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const delayMs = Math.max(0, Math.round(delays.max / 1e6 - resolution))
    delays.reset()
    for (const listener of listeners) listener({ delayMs, busy: Math.round(utilization * 1_000) / 1_000 })
  }

  return {
    /** Calls the listener with each beat until the returned function is called. */
    follow(listener: (beat: Beat) => void): () => void {
      listeners.add(listener)
      if (!timer) {
        delays.reset()
        delays.enable()
        timer = setInterval(beat, beatMs).unref()
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        delays.disable()
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

export type Heart = ReturnType<typeof createBeat>
