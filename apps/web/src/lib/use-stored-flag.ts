import { useState } from 'react'
import { readStored, writeStored } from './storage.ts'

/** A switch that is remembered by this browser under `key`. */
export function useStoredFlag(key: string): [boolean, (on: boolean) => void] {
  const [on, setOn] = useState(() => readStored(key) === 'on')
  return [
    on,
    (next) => {
      setOn(next)
      writeStored(key, next ? 'on' : undefined)
    },
  ]
}
