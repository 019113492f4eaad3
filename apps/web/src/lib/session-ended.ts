import { useSyncExternalStore } from 'react'

let ended = false
const listeners = new Set<() => void>()

/** Notes that the platform ended a session that was in use, or that this is past. */
export function setSessionEnded(next: boolean): void {
  if (next === ended) return
  ended = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Did the session end without the person having left? */
export const hasSessionEnded = (): boolean => ended

/** The same for what shows it. */
export const useSessionEnded = (): boolean => useSyncExternalStore(subscribe, hasSessionEnded)
