import { NotFound } from '../shell/NotFound.tsx'
import { ErrorState, NotAllowed } from '../ui/ErrorState.tsx'
import { hasStatus, reasonOf } from './api.ts'

/** What a page shows when what it is about could not be read: not there, not allowed, or failed with a Retry. */
export function Failure({
  error,
  onRetry,
  needs = 'Viewer',
}: {
  error: unknown
  onRetry: () => void
  /** The smallest role that may see this. */
  needs?: 'Viewer' | 'Member' | 'Owner'
}) {
  if (hasStatus(error, 404)) return <NotFound />
  if (hasStatus(error, 403)) return <NeedsRole role={needs} />
  return <ErrorState onRetry={onRetry}>{reasonOf(error)}</ErrorState>
}

/** Says which role is missing and who can give it. */
export function NeedsRole({ role }: { role: 'Viewer' | 'Member' | 'Owner' }) {
  return <NotAllowed>This needs at least the role {role} in the team. A team owner can change your role.</NotAllowed>
}
