import type { ReactNode } from 'react'
import { ConfirmHost } from './ConfirmDialog.tsx'
import { ToastHost } from './Toasts.tsx'
import { TooltipProvider } from './Tooltip.tsx'

/** Once, at the root, inside the router: tooltips, toasts and the confirm dialog work below it. */
export function UiHost({ children }: { children: ReactNode }) {
  return (
    <TooltipProvider>
      {children}
      <ToastHost />
      <ConfirmHost />
    </TooltipProvider>
  )
}
