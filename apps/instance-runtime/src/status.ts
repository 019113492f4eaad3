import type { FlowsStopped, RuntimeStatus } from '@app/contract/instance-link'

/** The runtime's state and those who want to know of its changes. */
export function createStatus() {
  let current: RuntimeStatus = { state: 'loading' }
  let flowsStopped: FlowsStopped | undefined
  const listeners = new Set<(status: RuntimeStatus) => void>()
  const get = (): RuntimeStatus => ({ ...current, ...(flowsStopped ? { flowsStopped } : {}) })
  const tell = () => {
    for (const listener of listeners) listener(get())
  }
  return {
    get,
    set(status: RuntimeStatus): void {
      current = status
      tell()
    },
    /** Notes why flows do not run; undefined: they do. */
    setFlows(stopped: FlowsStopped | undefined): void {
      flowsStopped = stopped
      tell()
    },
    /** Calls the listener with each change until the returned function is called. */
    watch(listener: (status: RuntimeStatus) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export type Status = ReturnType<typeof createStatus>
