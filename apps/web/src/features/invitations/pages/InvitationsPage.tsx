import type { Invitation } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Button } from '../../../ui/Button.tsx'
import type { Column } from '../../../ui/Table.tsx'
import { toast } from '../../../ui/toast.ts'
import { AccountSection, teamTabs } from '../../account/index.ts'
import { invitationsQuery, useAnswerInvitation } from '../invitations.queries.ts'
import { InvitationsTable } from '../components/InvitationsTable.tsx'
import { expiryColumn } from '../invitation-columns.tsx'
import { inviterOf } from '../inviter.ts'
import { roleTitle } from '../../teams/index.ts'

type Answer = (invitation: Invitation, accept: boolean) => void

/** Invitations into teams, to accept or reject. */
export function InvitationsPage() {
  const query = useQuery(invitationsQuery)
  const navigate = useNavigate()
  const { mutateAsync: send, isPending } = useAnswerInvitation()
  const answer = useCallback<Answer>(
    (invitation, accept) => {
      const { id, team } = invitation
      const done = async () => {
        await send({ id, accept })
        if (accept) await navigate({ to: '/team/$slug/applications', params: { slug: team.slug } })
        else toast.success(`Invitation to ${team.name} rejected.`)
      }
      // The policy for uncaught calls shows the error.
      done().catch(() => undefined)
    },
    [send, navigate],
  )
  const columns = useMemo(() => columnsFor(answer, isPending), [answer, isPending])
  return (
    <AccountSection title="Teams" page="Invitations" tabs={teamTabs(query.data?.length ?? 0)}>
      <InvitationsTable query={query} columns={columns} emptyTitle="No invitations">
        When somebody invites you into a team, you answer here. Invitations last 7 days.
      </InvitationsTable>
    </AccountSection>
  )
}

function columnsFor(onAnswer: Answer, busy: boolean): Column<Invitation>[] {
  return [
    {
      id: 'team',
      header: 'Team',
      value: ({ team }) => team.name,
      cell: ({ team }) => (
        <span className="inline-flex items-center gap-2.5">
          <Avatar name={team.name} src={team.avatar} shape="square" />
          {team.name}
        </span>
      ),
    },
    { id: 'role', header: 'Role', value: ({ role }) => role, cell: ({ role }) => roleTitle(role) },
    { id: 'invitor', header: 'Invited by', value: ({ invitor }) => inviterOf(invitor) },
    expiryColumn,
    {
      id: 'answer',
      header: 'Answer',
      sortable: false,
      align: 'end',
      cell: (invitation) => (
        <span className="flex justify-end gap-2">
          <Button
            size="sm"
            disabled={busy}
            aria-label={`Reject invitation to ${invitation.team.name}`}
            onClick={() => onAnswer(invitation, false)}
          >
            Reject
          </Button>
          <Button
            size="sm"
            variant="primary"
            disabled={busy}
            aria-label={`Accept invitation to ${invitation.team.name}`}
            onClick={() => onAnswer(invitation, true)}
          >
            Accept
          </Button>
        </span>
      ),
    },
  ]
}
