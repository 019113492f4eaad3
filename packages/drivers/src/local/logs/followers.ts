import type { LogEntry } from '@app/contract/instance-link'
import { watchRuntime } from '../control/control.client.ts'
import { readLogs } from './logs.reader.ts'
import type { InstanceRecord } from '../record.store.ts'

/** The number of entries a runtime remembers; followers that were away for longer read the rest from disk. */
const pageSize = 1_000
const againMs = 500

interface Follower {
  since: string
  listener: (entry: LogEntry) => void
  disconnect: () => void
}

export interface FollowersOptions {
  processOf(id: string): InstanceRecord | undefined
  logDirOf(id: string): string
}

/** Followers of an instance's log, across its ends and starts, without a gap. */
export function createFollowers({ processOf, logDirOf }: FollowersOptions) {
  const followers = new Map<string, Set<Follower>>()

  function tell(follower: Follower, entry: LogEntry): void {
    if (entry.ts <= follower.since) return
    follower.since = entry.ts
    follower.listener(entry)
  }

  async function connect(follower: Follower, record: InstanceRecord): Promise<void> {
    follower.disconnect()
    let wanted = true
    let disconnect = () => {}
    follower.disconnect = () => {
      wanted = false
      disconnect()
    }
    for (let isMore = true; wanted && isMore; ) {
      const page = await readLogs(logDirOf(record.id), { cursor: follower.since, limit: pageSize })
      if (wanted) for (const entry of page) tell(follower, entry)
      isMore = page.length === pageSize
    }
    if (!wanted) return
    disconnect = watchRuntime(
      record,
      follower.since,
      (line) => {
        if ('log' in line) tell(follower, line.log)
      },
      () => {
        const again = setTimeout(() => {
          if (wanted && processOf(record.id)?.identity === record.identity) void connect(follower, record)
        }, againMs)
        again.unref()
      },
    )
  }

  return {
    follow(id: string, listener: (entry: LogEntry) => void): () => void {
      // Everything from the millisecond of the call on, however long the connection takes.
      const follower: Follower = { since: `${Date.now() - 1}9999`, listener, disconnect: () => {} }
      const ofInstance = followers.get(id) ?? new Set()
      followers.set(id, ofInstance.add(follower))
      const record = processOf(id)
      if (record) void connect(follower, record)
      return () => {
        follower.disconnect()
        ofInstance.delete(follower)
        if (ofInstance.size === 0) followers.delete(id)
      }
    },
    /** A process of this instance answers now. */
    attach(id: string, record: InstanceRecord): void {
      for (const follower of followers.get(id) ?? []) void connect(follower, record)
    },
    close(): void {
      for (const ofInstance of followers.values()) for (const follower of ofInstance) follower.disconnect()
      followers.clear()
    },
  }
}
