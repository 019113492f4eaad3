import { intervals } from '@app/contract/constants'
import { useEffect, useState } from 'react'

/** Returns a typed text once it has not changed for 300 ms: one call for a word and not one for each letter. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), intervals.searchDebounce)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
