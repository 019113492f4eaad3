import { useSyncExternalStore } from 'react'

let offline = false
const listeners = new Set<() => void>()

/** Says whether the last call reached the server (A§7: a network error marks the app offline). */
export function setOffline(next: boolean): void {
  if (next === offline) return
  offline = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Is the server out of reach? */
export const isOffline = (): boolean => offline

/** The same for what shows it. */
export const useOffline = (): boolean => useSyncExternalStore(subscribe, isOffline)

/** Settles as soon as the server answers again. */
export function whenOnline(): Promise<void> {
  if (!offline) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = subscribe(() => {
      if (offline) return
      stop()
      resolve()
    })
  })
}
