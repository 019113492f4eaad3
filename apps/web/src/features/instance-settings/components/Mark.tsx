import type { ReactNode } from 'react'
import { Tooltip } from '../../../ui/Tooltip.tsx'

/** A small sign whose meaning shows on hover and focus. */
export function Mark({ text, icon }: { text: string; icon: ReactNode }) {
  return (
    <Tooltip content={text}>
      <button
        type="button"
        aria-label={text}
        className="inline-grid cursor-default place-items-center rounded-sm text-muted"
      >
        {icon}
      </button>
    </Tooltip>
  )
}
