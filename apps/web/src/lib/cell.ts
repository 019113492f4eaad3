/** A value outside React that is set from anywhere and shown by what subscribes, as useSyncExternalStore asks for it. */
export interface Cell<T> {
  current(): T
  /** Tells everybody who listens, unless it is the value already. */
  set(next: T): void
  /** Returns what ends it. */
  subscribe(listener: () => void): () => void
}

export function createCell<T>(initial: T): Cell<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    current: () => value,
    set(next) {
      if (next === value) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
