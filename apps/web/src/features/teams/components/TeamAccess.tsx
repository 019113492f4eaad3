import { roles } from '@app/contract/roles'
import type { ReactNode } from 'react'
import { createContext, useContext, useEffect } from 'react'
import { RoleProvider } from '../../../lib/can.ts'
import { rememberTeam } from '../current-team.ts'
import { useTeamRole } from '../teams.queries.ts'
import { OpenInstances } from './OpenInstances.tsx'

const Visiting = createContext(false)

/** Does an administrator look at a team of others? */
export const useVisiting = (): boolean => useContext(Visiting)

/** Lets in who has a role of at least Viewer in the team, and tells what is inside which role that is. */
export function TeamAccess({
  teamId,
  loading,
  children,
}: {
  teamId: string
  /** Shown until the role is known: the shape of what is inside. */
  loading: ReactNode
  children: ReactNode
}) {
  const standing = useTeamRole(teamId)
  const isMember = standing !== undefined && !standing.visiting
  useEffect(() => {
    if (isMember) rememberTeam(teamId)
  }, [isMember, teamId])
  if (!standing) return loading
  if (standing.role < roles.viewer) return <OpenInstances teamId={teamId} />
  return (
    <RoleProvider value={standing.role}>
      <Visiting value={standing.visiting}>{children}</Visiting>
    </RoleProvider>
  )
}
