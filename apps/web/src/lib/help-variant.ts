import { useEffect, useSyncExternalStore } from 'react'
import { createCell } from './cell.ts'

const shown = createCell<string | undefined>(undefined)

/** Tells which kind of thing the page shows, where the handbook explains each kind elsewhere. */
export function useHelpFor(variant: string | undefined): void {
  useEffect(() => {
    shown.set(variant)
    return () => shown.set(undefined)
  }, [variant])
}

/** The kind of thing that the page shows; undefined where that makes no difference. */
export const useHelpVariant = (): string | undefined => useSyncExternalStore(shown.subscribe, shown.current)
