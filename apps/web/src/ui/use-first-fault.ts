import { type RefObject, useEffect, useRef } from 'react'

/** The part of a page whose first invalid control gets the focus with every new object of faults that is not empty. */
export function useFirstFault<E extends HTMLElement>(faults: object | undefined): RefObject<E | null> {
  const part = useRef<E>(null)
  useEffect(() => {
    if (faults === undefined || Object.keys(faults).length === 0) return
    part.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [faults])
  return part
}
