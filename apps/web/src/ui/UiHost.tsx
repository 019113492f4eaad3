import { type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { lazyPage } from '../lib/lazy-page.ts'
import { confirmation } from './confirm.ts'
import { ToastHost } from './Toasts.tsx'

// Nobody is asked anything before sign-in, so its dialog is no part of the first load.
const ConfirmHost = lazyPage(() => import('./ConfirmDialog.tsx'), 'ConfirmHost')

/** Once, at the root, inside the router: toasts and the confirm dialog work below it. */
export function UiHost({ children }: { children: ReactNode }) {
  const asked = useSyncExternalStore(confirmation.subscribe, confirmation.current) !== undefined
  return (
    <>
      {children}
      <ToastHost />
      <Suspense>{asked && <ConfirmHost />}</Suspense>
    </>
  )
}
