import type { Invitation } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useCan } from '../../../lib/can.ts'
import type { Column } from '../../../ui/Table.tsx'
import { InvitationsTable } from '../components/InvitationsTable.tsx'
import { expiryColumn, menuColumn } from '../invitation-columns.tsx'
import { inviteeName } from '../inviter.ts'
import { useTeam, MembersFrame, titleOfRole } from '../../teams/index.ts'
import { teamInvitationsQuery, useWithdraw } from '../team-invitations.queries.ts'

/** The open invitations of a team [MEMB-06]. */
export function TeamInvitationsPage() {
  const team = useTeam()
  const mayInvite = useCan('team:user:invite')
  const query = useQuery({ ...teamInvitationsQuery(team.id), enabled: mayInvite })
  const { mutate: withdraw } = useWithdraw(team.id)
  const columns = useMemo<Column<Invitation>[]>(
    () => [
      { id: 'user', header: 'User', value: inviteeName },
      { id: 'role', header: 'Role', value: ({ role }) => role, cell: ({ role }) => titleOfRole(role) },
      expiryColumn,
      menuColumn(({ id }) => [
        {
          label: 'Remove Invite',
          icon: <Trash2 size={16} aria-hidden />,
          danger: true,
          onSelect: () => withdraw(id),
        },
      ]),
    ],
    [withdraw],
  )
  if (!mayInvite) return <Navigate to="/team/$slug/members/general" params={{ slug: team.slug }} replace />
  return (
    <MembersFrame>
      <InvitationsTable query={query} columns={columns} emptyTitle="No open invitations">
        Invitations are listed here until they are answered. They last 7 days.
      </InvitationsTable>
    </MembersFrame>
  )
}
