import { limitOf } from '@app/contract/team-types'
import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { teamMembersQuery } from '../teams.queries.ts'
import { useTeam } from '../team-context.ts'
import { teamInvitationsQuery } from '../../invitations/index.ts'
import { quotaText } from '../../team-types/index.ts'
import { InviteDialog } from './InviteDialog.tsx'

/** Heading and tabs of both pages of a team's people. */
export function MembersFrame({ children }: { children: ReactNode }) {
  const team = useTeam()
  usePageTitle('Members', team.name)
  const mayInvite = useCan('team:user:invite')
  const [inviting, setInviting] = useState(false)
  const { data: invitations = [] } = useQuery({ ...teamInvitationsQuery(team.id), enabled: mayInvite })
  const { data: members = [] } = useQuery(teamMembersQuery(team.id))
  const limit = limitOf(team.type.properties.userLimit)
  const seats = members.length + invitations.length
  const base = `/team/${team.slug}/members`
  const tabs = [
    { to: `${base}/general`, label: 'Team Members' },
    ...(mayInvite ? [{ to: `${base}/invitations`, label: `Invitations (${invitations.length})` }] : []),
  ]
  return (
    <>
      <PageHeader
        title="Members"
        description={`The members of ${team.name}, and their roles.`}
        actions={
          mayInvite && (
            <Button variant="primary" icon={<UserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
              Invite Member
            </Button>
          )
        }
      />
      <div className="mb-4">
        <Tabs label="Members" items={tabs} />
      </div>
      {children}
      {inviting && (
        <InviteDialog
          teamId={team.id}
          full={limit !== undefined && seats >= limit}
          seats={limit === undefined ? undefined : quotaText(seats, limit)}
          onClose={() => setInviting(false)}
        />
      )}
    </>
  )
}
