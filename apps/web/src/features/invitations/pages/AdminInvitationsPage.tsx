import type { Invitation } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Send, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { reasonOf } from '../../../lib/api.ts'
import type { MenuEntry } from '../../../ui/Menu.tsx'
import { Person } from '../../../ui/Person.tsx'
import type { Column } from '../../../ui/Table.tsx'
import { toast } from '../../../ui/toast.ts'
import { useSettings } from '../../account/index.ts'
import { InvitationsTable } from '../components/InvitationsTable.tsx'
import { expiryColumn, menuColumn } from '../invitation-columns.tsx'
import { inviteeName } from '../inviter.ts'
import { UsersFrame, allInvitationsQuery, useInvitationChange } from '../../users/index.ts'

/** Open invitations of all teams [AUSER-33]. */
export function AdminInvitationsPage() {
  const query = useQuery(allInvitationsQuery)
  const { mutate: withdraw } = useInvitationChange('invitation.withdraw')
  const { mutate: resend } = useInvitationChange('invitation.resend')
  const canMail = Boolean(useSettings()?.email)
  const columns = useMemo<Column<Invitation>[]>(() => {
    const entries = (invitation: Invitation): MenuEntry[] => {
      const params = { teamId: invitation.team.id, invitationId: invitation.id }
      const onError = (fault: unknown) => toast.warning(reasonOf(fault))
      const again = { onError, onSuccess: () => toast.success(`Invite sent to ${inviteeName(invitation)}`) }
      return [
        {
          label: 'Send Again',
          icon: <Send size={16} aria-hidden />,
          obstacle:
            'link' in invitation.invitee ? 'A link cannot be mailed.' : canMail ? undefined : 'Mail is not configured.',
          onSelect: () => resend(params, again),
        },
        {
          label: 'Remove Invite',
          icon: <Trash2 size={16} aria-hidden />,
          danger: true,
          onSelect: () => withdraw(params, { onError }),
        },
      ]
    }
    return columnsFor(entries)
  }, [canMail, withdraw, resend])
  return (
    <UsersFrame>
      <InvitationsTable query={query} columns={columns} emptyTitle="No open invitations">
        Owners invite people into their teams. Open invitations are listed here.
      </InvitationsTable>
    </UsersFrame>
  )
}

function columnsFor(entries: (invitation: Invitation) => MenuEntry[]): Column<Invitation>[] {
  return [
    {
      id: 'user',
      header: 'User',
      value: inviteeName,
      cell: (invitation) =>
        'username' in invitation.invitee ? <Person {...invitation.invitee} /> : inviteeName(invitation),
    },
    { id: 'team', header: 'Team', value: ({ team }) => team.name },
    { id: 'invitor', header: 'Invited By', value: ({ invitor }) => invitor.username },
    expiryColumn,
    menuColumn(entries),
  ]
}
