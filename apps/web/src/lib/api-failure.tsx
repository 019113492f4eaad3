import type { ReactNode } from 'react'
import { NotFound } from '../shell/NotFound.tsx'
import { ErrorState, NotAllowed } from '../ui/ErrorState.tsx'
import { hasStatus, reasonOf } from './api.ts'
import { usePageTitle } from './page-title.ts'

type RoleNeeded = 'Viewer' | 'Member' | 'Owner'
type FailureProps = {
  error: unknown
  onRetry: () => void
  /** The smallest role that may see this. */
  needs?: RoleNeeded
}

/**
 * Stands in for a page whose subject could not be read: not found, not allowed, or failed with a Retry.
 * `title`: what failed, where nothing was to be loaded.
 */
export function PageFailure({ error, onRetry, needs, title }: FailureProps & { title?: string }) {
  if (hasStatus(error, 404)) return <NotFound />
  if (hasStatus(error, 403)) return <NoAccess>{roleText(needs)}</NoAccess>
  return (
    <Titled title="Something went wrong">
      <ErrorState onRetry={onRetry} {...(title !== undefined && { title })}>
        {reasonOf(error)}
      </ErrorState>
    </Titled>
  )
}

/** The same for a part of a page. */
export function Failure({ error, onRetry, needs }: FailureProps) {
  if (hasStatus(error, 403)) return <NotAllowed>{roleText(needs)}</NotAllowed>
  return <ErrorState onRetry={onRetry}>{reasonOf(error)}</ErrorState>
}

/** A page for a role the person does not have; says who can change that. */
export function NeedsRole({ least }: { least: RoleNeeded }) {
  return <NoAccess>{roleText(least)}</NoAccess>
}

/** A page the person may not see, and why. */
export function NoAccess({ children }: { children: ReactNode }) {
  return (
    <Titled title="No Access">
      <NotAllowed>{children}</NotAllowed>
    </Titled>
  )
}

const roleText = (role: RoleNeeded = 'Viewer') =>
  `This needs at least the role ${role} in the team. A team owner can change your role.`

function Titled({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title)
  return (
    <>
      <h1 className="sr-only">{title}</h1>
      {children}
    </>
  )
}
