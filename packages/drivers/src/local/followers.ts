import type { LogEntry } from '@app/contract/instance-link'
import { watchRuntime } from './control.client.ts'
import type { InstanceRecord } from './record.store.ts'

interface Follower {
  since: string
  listener: (entry: LogEntry) => void
  disconnect: () => void
}

/** Those who read along in the log of an instance, over its ends and starts. */
export function createFollowers(processOf: (id: string) => InstanceRecord | undefined) {
  const followers = new Map<string, Set<Follower>>()

  function connect(follower: Follower, record: InstanceRecord): void {
    follower.disconnect()
    follower.disconnect = watchRuntime(
      record,
      follower.since,
      (line) => {
        if (!('log' in line)) return
        follower.since = line.log.ts
        follower.listener(line.log)
      },
      () => {},
    )
  }

  return {
    follow(id: string, listener: (entry: LogEntry) => void): () => void {
      // Everything from the millisecond of the call on, however long the connection takes.
      const follower: Follower = { since: `${Date.now() - 1}9999`, listener, disconnect: () => {} }
      const ofInstance = followers.get(id) ?? new Set()
      followers.set(id, ofInstance.add(follower))
      const record = processOf(id)
      if (record) connect(follower, record)
      return () => {
        follower.disconnect()
        ofInstance.delete(follower)
        if (ofInstance.size === 0) followers.delete(id)
      }
    },
    /** A process of this instance answers now. */
    attach(id: string, record: InstanceRecord): void {
      for (const follower of followers.get(id) ?? []) connect(follower, record)
    },
    close(): void {
      for (const ofInstance of followers.values()) for (const follower of ofInstance) follower.disconnect()
      followers.clear()
    },
  }
}
