import { limited, roles } from '@app/contract/roles'
import type { ReactNode } from 'react'
import { createContext, useContext, useEffect } from 'react'
import { RoleProvider, TeamRoleProvider } from '../../../lib/can.ts'
import { rememberTeam } from '../current-team.ts'
import { useTeamRole } from '../teams.queries.ts'
import { OpenInstances } from './OpenInstances.tsx'

const Visiting = createContext(false)

/** Does an administrator look at a team of others? */
export const useVisiting = (): boolean => useContext(Visiting)

/**
 * Lets in who has a role of at least Viewer in the team, or is a limited member of it, and tells what is inside which
 * role counts: that in the application, where `applicationId` names one.
 */
export function TeamAccess({
  teamId,
  applicationId,
  loading,
  children,
}: {
  teamId: string
  applicationId?: string | undefined
  /** Shown until the role is known: the shape of what is inside. */
  loading: ReactNode
  children: ReactNode
}) {
  const standing = useTeamRole(teamId, applicationId)
  const isMember = standing !== undefined && !standing.visiting
  useEffect(() => {
    if (isMember) rememberTeam(teamId)
  }, [isMember, teamId])
  if (!standing) return loading
  if (standing.role < roles.viewer && standing.role !== limited) return <OpenInstances teamId={teamId} />
  return (
    <RoleProvider value={standing.role}>
      <TeamRoleProvider value={standing.teamRole}>
        <Visiting value={standing.visiting}>{children}</Visiting>
      </TeamRoleProvider>
    </RoleProvider>
  )
}
