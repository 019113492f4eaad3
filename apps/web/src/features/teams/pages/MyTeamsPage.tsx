import type { UserTeam } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Plus, UsersRound } from 'lucide-react'
import { useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { AccountSection, teamTabs, useMayCreateTeams } from '../../account/index.ts'
import { useLeave } from '../components/use-leave.tsx'
import { useInvitationCount } from '../../invitations/index.ts'
import { roleTitle } from '../role-names.ts'
import { teamsQuery } from '../teams.queries.ts'

/** The teams of the person who is signed in, and the way out of each. */
export function MyTeamsPage() {
  const { data: teams, error, refetch } = useQuery(teamsQuery)
  const mayCreate = useMayCreateTeams()
  const invitations = useInvitationCount()
  const leave = useLeave()
  const columns = useMemo(() => columnsFor(leave), [leave])
  const create = mayCreate && (
    <ButtonLink to="/team/create" variant="primary" icon={<Plus size={16} aria-hidden />}>
      Create Team
    </ButtonLink>
  )
  return (
    <AccountSection title="Teams" tabs={teamTabs(invitations)} actions={create}>
      {error && !teams ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Teams"
          rows={teams}
          columns={columns}
          rowId={({ id }) => id}
          rowTo={({ slug }) => `/team/${slug}/applications`}
          empty={
            <EmptyState icon={<UsersRound />} title="You are not in a team">
              Applications and their Node-RED instances belong to teams. Ask an Admin or Team Owner to add you to a
              team.
            </EmptyState>
          }
        />
      )}
    </AccountSection>
  )
}

function columnsFor(onLeave: (team: UserTeam) => void): Column<UserTeam>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ name, avatar }) => (
        <span className="inline-flex items-center gap-2.5 align-middle">
          <Avatar name={name} src={avatar} shape="square" />
          {name}
        </span>
      ),
    },
    { id: 'instances', header: 'Application Instances', value: ({ instanceCount }) => instanceCount, align: 'end' },
    { id: 'members', header: 'Members', value: ({ memberCount }) => memberCount, align: 'end' },
    { id: 'role', header: 'Role', value: ({ role }) => role, cell: ({ role }) => roleTitle(role) },
    {
      id: 'leave',
      header: 'Membership',
      sortable: false,
      align: 'end',
      cell: (team) => (
        <Button size="sm" aria-label={`Leave Team ${team.name}`} onClick={() => onLeave(team)}>
          Leave Team
        </Button>
      ),
    },
  ]
}
