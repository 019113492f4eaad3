import type { Team } from '@app/contract'
import { lazy, Suspense } from 'react'

const Dialog = lazy(async () => ({ default: (await import('./ChangeTypeDialog.tsx')).ChangeTypeDialog }))

/** The window that gives a team another type; fetched when an administrator opens it. */
export const ChangeType = (props: { team: Team; onClose: () => void }) => (
  <Suspense fallback={null}>
    <Dialog {...props} />
  </Suspense>
)
