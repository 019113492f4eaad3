import type { RuntimeStatus } from '@app/contract/instance-link'

/** The runtime's state and those who want to know of its changes. */
export function createStatus() {
  let current: RuntimeStatus = { state: 'loading' }
  const listeners = new Set<(status: RuntimeStatus) => void>()
  return {
    get: () => current,
    set(status: RuntimeStatus): void {
      current = status
      for (const listener of listeners) listener(status)
    },
    /** Calls the listener with each change until the returned function is called. */
    watch(listener: (status: RuntimeStatus) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export type Status = ReturnType<typeof createStatus>
