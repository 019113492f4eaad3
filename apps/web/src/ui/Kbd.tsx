import type { ReactNode } from 'react'

/** A key to press. */
export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="rounded-sm border border-line bg-panel px-1.25 font-sans text-xs text-muted">{children}</kbd>
}
