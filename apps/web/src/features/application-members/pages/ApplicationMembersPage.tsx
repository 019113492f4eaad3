import type { ApplicationMember } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { Ellipsis, UserCog, UserMinus, UserPlus, UsersRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useCanInTeam } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { Person } from '../../../ui/Person.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useSettings } from '../../account/index.ts'
import { useCurrentApplication } from '../../applications/index.ts'
import { nameOf, titleOfRole } from '../../teams/index.ts'
import { applicationMembersQuery, useRemoveApplicationMember } from '../application-members.queries.ts'
import { AddApplicationMemberDialog, ApplicationRoleDialog } from '../components/ApplicationMemberDialogs.tsx'

const columns: Column<ApplicationMember>[] = [
  {
    id: 'user',
    header: 'User',
    value: ({ name, username }) => `${name} ${username}`,
    cell: (member) => <Person {...member} />,
  },
  { id: 'role', header: 'Role Here', value: ({ role }) => role, cell: ({ role }) => titleOfRole(role) },
  {
    id: 'team',
    header: 'Role in the Team',
    value: ({ teamRole }) => teamRole,
    cell: ({ teamRole }) => titleOfRole(teamRole),
  },
]

/** The members of the team who have a role of their own in this application. */
export function ApplicationMembersPage() {
  const application = useCurrentApplication()
  usePageTitle('Application Members', application.name)
  const features = useSettings()?.features
  const seesMembers = useCanInTeam('team:user:list')
  if ((features && features.applicationRoles !== true) || !seesMembers)
    return <Navigate to="/application/$applicationId/instances" params={{ applicationId: application.id }} replace />
  return <Members teamId={application.teamId} applicationId={application.id} name={application.name} />
}

function Members({ teamId, applicationId, name }: { teamId: string; applicationId: string; name: string }) {
  const place = { teamId, applicationId }
  const { data: members, error, refetch } = useQuery(applicationMembersQuery(teamId, applicationId))
  const [adding, setAdding] = useState(false)
  const [changing, setChanging] = useState<ApplicationMember>()
  const { mutate: remove } = useRemoveApplicationMember(place)
  const mayChange = useCanInTeam('team:user:change-role')
  const all = useMemo<Column<ApplicationMember>[]>(() => {
    if (!mayChange) return columns
    const ask = async (member: ApplicationMember) => {
      const who = nameOf(member)
      const sure = await confirm({
        title: 'Remove From Application',
        message: (
          <>
            <b>{who}</b> keeps the role {titleOfRole(member.teamRole)} in the team, and loses the one in {name} at once.
          </>
        ),
        confirmLabel: 'Remove',
        danger: true,
      })
      if (sure) remove({ userId: member.id, name: who })
    }
    return [
      ...columns,
      {
        id: 'menu',
        header: '',
        align: 'end',
        width: 'w-14',
        cell: (member) => (
          <Menu
            label={`Actions for ${member.username}`}
            items={[
              {
                label: 'Change Role',
                icon: <UserCog size={16} aria-hidden />,
                onSelect: () => setChanging(member),
              },
              {
                label: 'Remove From Application',
                icon: <UserMinus size={16} aria-hidden />,
                danger: true,
                onSelect: () => void ask(member),
              },
            ]}
            trigger={
              <IconButton label={`Actions for ${member.username}`} size="sm">
                <Ellipsis size={16} aria-hidden />
              </IconButton>
            }
          />
        ),
      },
    ]
  }, [mayChange, name, remove])

  if (error && !members) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">Members of the team whose role here differs from the one in the team.</p>
        {mayChange && (
          <Button variant="primary" icon={<UserPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            Add Member
          </Button>
        )}
      </div>
      <Table
        label="Application members"
        rows={members}
        columns={all}
        rowId={({ id }) => id}
        sort={{ id: 'user', desc: false }}
        empty={
          <EmptyState icon={<UsersRound />} title="Everybody has their role in the team">
            Add a limited member to give them access to this application.
          </EmptyState>
        }
      />
      {adding && <AddApplicationMemberDialog place={place} present={members ?? []} onClose={() => setAdding(false)} />}
      {changing && <ApplicationRoleDialog place={place} member={changing} onClose={() => setChanging(undefined)} />}
    </>
  )
}
