import { useSyncExternalStore } from 'react'

/** Instances whose settings were saved here since their last start, with the time of that start. */
const saved = new Map<string, string | undefined>()
const listeners = new Set<() => void>()

export function noteSaved(instanceId: string, startedAt: string | undefined): void {
  saved.set(instanceId, startedAt)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Does what runs still have settings from before they were saved here? */
export function useAwaitsRestart(instanceId: string, startedAt: string | undefined): boolean {
  const at = useSyncExternalStore(subscribe, () => (saved.has(instanceId) ? (saved.get(instanceId) ?? '') : undefined))
  return at !== undefined && startedAt !== undefined && at === startedAt
}
