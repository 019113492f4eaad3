import { useSyncExternalStore } from 'react'
import { createCell } from './cell.ts'

const ended = createCell(false)

/** Notes that the platform ended a session that was in use, or that this is past. */
export const setSessionEnded: (next: boolean) => void = ended.set

/** Did the session end without the person having left? */
export const hasSessionEnded: () => boolean = ended.current

/** The same for a component, which is drawn anew when it changes. */
export const useSessionEnded = (): boolean => useSyncExternalStore(ended.subscribe, ended.current)
