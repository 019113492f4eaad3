import type { ApplicationMember, Member } from '@app/contract'
import { limited, roles } from '@app/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { UserCog, UserMinus, UsersRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { Person } from '../../../ui/Person.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import type { MenuEntry } from '../../../ui/Menu.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useSettings } from '../../account/index.ts'
import { applicationMembersQuery } from '../../application-members/index.ts'
import { teamMembersQuery } from '../teams.queries.ts'
import { useTeam } from '../team-context.ts'
import { MembersFrame } from '../components/MembersFrame.tsx'
import { RoleDialog } from '../components/RoleDialog.tsx'
import { useRemoveMember } from '../members.queries.ts'
import { nameOf, titleOfRole } from '../roles.ts'

const columns: Column<Member>[] = [
  {
    id: 'user',
    header: 'User',
    // One text for both, so that the search finds either.
    value: ({ name, username }) => `${name} ${username}`,
    cell: (member) => <Person {...member} />,
  },
  { id: 'role', header: 'Role', value: ({ role }) => role, cell: ({ role }) => titleOfRole(role), searchable: false },
  // Sorts by rank above, and is searched by name here.
]

/** The applications in which members have roles of their own; of limited members, all that they see. */
function applicationsColumn(all: readonly ApplicationMember[]): Column<Member> {
  const byMember = Map.groupBy(all, ({ id }) => id)
  const text = ({ id, role }: Member) => {
    const own = byMember.get(id)?.map((each) => `${each.application.name} (${titleOfRole(each.role)})`)
    return own?.join(', ') ?? (role === limited ? 'None yet' : '')
  }
  return { id: 'applications', header: 'Applications', value: text, searchable: false }
}

/** The members of a team [MEMB-01] [MEMB-02]. */
export function TeamMembersPage() {
  const team = useTeam()
  const { data: members, error, refetch } = useQuery(teamMembersQuery(team.id))
  const [search, setSearch] = useState('')
  const [changing, setChanging] = useState<Member>()
  const { mutate: remove } = useRemoveMember(team.id)
  const mayChange = useCan('team:user:change-role')
  const mayRemove = useCan('team:user:remove')
  const owners = (members ?? []).filter(({ role }) => role === roles.owner).length
  const found = useMemo(() => members?.filter((member) => matches(member, search)), [members, search])
  const hasApplicationRoles = useSettings()?.features.applicationRoles === true
  const { data: inApplications } = useQuery({ ...applicationMembersQuery(team.id), enabled: hasApplicationRoles })
  const all = useMemo<Column<Member>[]>(() => {
    const shown = inApplications ? [...columns, applicationsColumn(inApplications)] : columns
    if (!mayChange && !mayRemove) return shown
    const ask = async (member: Member, sole: boolean) => {
      const name = nameOf(member)
      const sure = await confirm({
        title: 'Remove From Team',
        message: sole ? (
          'The only owner of a team cannot be removed.'
        ) : (
          <>
            <b>{name}</b> loses access to this team and everything in it at once.
          </>
        ),
        confirmLabel: 'Remove',
        danger: true,
        disabled: sole,
      })
      if (sure) remove({ userId: member.id, name })
    }
    const entries = (member: Member): MenuEntry[] => {
      const sole = member.role === roles.owner && owners === 1
      const obstacle = sole ? 'A team keeps at least one owner.' : undefined
      return [
        ...(mayChange
          ? [
              {
                label: 'Change Role',
                icon: <UserCog size={16} aria-hidden />,
                obstacle,
                onSelect: () => setChanging(member),
              },
            ]
          : []),
        ...(mayRemove
          ? [
              {
                label: 'Remove From Team',
                icon: <UserMinus size={16} aria-hidden />,
                danger: true,
                obstacle,
                onSelect: () => void ask(member, sole),
              },
            ]
          : []),
      ]
    }
    return [
      ...shown,
      {
        id: 'menu',
        header: '',
        align: 'end',
        width: 'w-14',
        cell: (member) => <RowMenu name={member.username} items={entries(member)} />,
      },
    ]
  }, [inApplications, mayChange, mayRemove, owners, remove])

  return (
    <MembersFrame>
      {error && !members ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <SearchInput
            className="mb-3 sm:max-w-75"
            label="Search Team Members..."
            value={search}
            onChange={setSearch}
          />
          <Table
            label="Team members"
            rows={found}
            columns={all}
            rowId={({ id }) => id}
            sort={{ id: 'user', desc: false }}
            empty={
              <EmptyState icon={<UsersRound />} title="No members found">
                Search by name, user name or role.
              </EmptyState>
            }
          />
        </>
      )}
      {changing && <RoleDialog teamId={team.id} member={changing} onClose={() => setChanging(undefined)} />}
    </MembersFrame>
  )
}

const matches = ({ name, username, role }: Member, search: string) =>
  `${name}\n${username}\n${titleOfRole(role)}`.toLowerCase().includes(search.trim().toLowerCase())
