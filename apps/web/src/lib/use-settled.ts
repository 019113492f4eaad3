import { intervals } from '@app/contract/constants'
import { useEffect, useState } from 'react'

/** What is typed, once it has rested for 300 ms: for searches that the server makes. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), intervals.searchDebounce)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
