import { useEffect, useEffectEvent, useRef } from 'react'

/** Does something when the page appears, once, also where React mounts a page twice to find faults. */
export function useOnce(act: () => void): void {
  const begun = useRef(false)
  const run = useEffectEvent(act)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    run()
  }, [])
}
