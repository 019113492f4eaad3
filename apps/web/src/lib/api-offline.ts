import { useSyncExternalStore } from 'react'
import { createCell } from './cell.ts'

const offline = createCell(false)

/** Says whether the last call reached the server [API-04]. */
export const setOffline: (next: boolean) => void = offline.set

/** Is the server out of reach? */
export const isOffline: () => boolean = offline.current

/** The same for what shows it. */
export const useOffline = (): boolean => useSyncExternalStore(offline.subscribe, offline.current)

/** Settles as soon as the server answers again. */
export function whenOnline(): Promise<void> {
  if (!offline.current()) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = offline.subscribe(() => {
      if (offline.current()) return
      stop()
      resolve()
    })
  })
}
