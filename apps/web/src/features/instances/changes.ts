import { useSyncExternalStore } from 'react'

/**
 * A change of state that this page asked for: `asked` until the server answered, then `accepted` until its own state
 * was read. The state is shown at once and put back when the server refuses [INST-28, INST-29, INST-30].
 */
export type Change = { state: string; phase: 'asked' | 'accepted' }

const changes = new Map<string, Change>()
const listeners = new Set<() => void>()

/** Marks an instance as changing, or no longer (undefined). */
export function markChange(id: string, change: Change | undefined): void {
  if (change) changes.set(id, change)
  else changes.delete(id)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useChange = (id: string): Change | undefined => useSyncExternalStore(subscribe, () => changes.get(id))
