import { useEffect, useEffectEvent } from 'react'

/**
 * Runs `action` when a key combination is pressed anywhere, for example 'mod+k' (Ctrl, or Command on a Mac), '/' or
 * 'Escape'. Plain keys are ignored while the person types in a field.
 */
export function useKeyboard(combination: string, action: (event: KeyboardEvent) => void): void {
  const run = useEffectEvent(action)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (matches(event, combination)) run(event)
    }
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [combination])
}

function matches(event: KeyboardEvent, combination: string): boolean {
  const parts = combination.toLowerCase().split('+')
  const key = parts.pop()
  const mod = parts.includes('mod')
  if (event.key.toLowerCase() !== key || event.altKey) return false
  if (mod !== (event.ctrlKey || event.metaKey)) return false
  const typing = event.target instanceof Element && event.target.matches('input, textarea, select, [contenteditable]')
  return mod || !typing
}
