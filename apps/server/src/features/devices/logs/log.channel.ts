import type { DeviceLogEntry, LogEnd } from '@app/contract'
import { createKept, frameOf } from './log.entries.ts'

/** Somebody who watches the log of a device at this server. */
export interface Viewer {
  send(text: string): void
  end(why: LogEnd): void
}

export type Channel = ReturnType<typeof createChannel>

/** The log of a device while somebody watches it: one stream for all of them. */
export function createChannel(deviceId: string, teamId: string) {
  const viewers = new Set<Viewer>()
  const kept = createKept()
  let isAnswered = false

  return {
    deviceId,
    teamId,
    viewers,
    /** Other servers at which somebody watches. */
    servers: new Set<string>(),
    /** Have the lines so far come from the server that has them? Until then those that come are part of them. */
    isWhole: true,
    lines: kept.lines,
    isAnswered: () => isAnswered,
    isWanted(): boolean {
      return viewers.size > 0 || this.servers.size > 0
    },
    /** A viewer that comes later gets the lines so far. */
    join(viewer: Viewer): void {
      viewers.add(viewer)
      if (isAnswered) viewer.send(JSON.stringify(kept.lines()))
    },
    /** Shows lines of the agent; none are an answer too. */
    take(lines: readonly DeviceLogEntry[]): void {
      isAnswered = true
      kept.add(lines)
      const frame = frameOf(lines)
      for (const viewer of viewers) viewer.send(frame)
    },
    end(why: LogEnd): void {
      for (const viewer of viewers) viewer.end(why)
      viewers.clear()
    },
  }
}
