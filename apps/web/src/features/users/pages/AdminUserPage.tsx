import type { AdminUser, UserTeam } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Pencil, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { formatExact } from '../../../lib/dates.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { PageHeader, SectionTitle } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { roleTitle } from '../../teams/index.ts'
import { EditUserDialog } from '../components/EditUserDialog.tsx'
import { UserHelp } from '../components/UserHelp.tsx'
import { adminUserQuery, adminUserTeamsQuery } from '../users.queries.ts'

const columns: Column<UserTeam>[] = [
  { id: 'name', header: 'Name', value: ({ name }) => name },
  { id: 'role', header: 'Role', value: ({ role }) => role, cell: ({ role }) => roleTitle(role) },
  { id: 'type', header: 'Type', value: ({ type }) => type.name },
  { id: 'members', header: 'Members', value: ({ memberCount }) => memberCount, align: 'end' },
  { id: 'instances', header: 'Application Instances', value: ({ instanceCount }) => instanceCount, align: 'end' },
]

/** One user [AUSER-08] to [AUSER-12]. */
export function AdminUserPage() {
  const { userId } = useParams({ from: '/platform/admin/users/$userId' })
  const { data: user, error, refetch } = useQuery(adminUserQuery(userId))
  if (error && !user) return <PageFailure error={error} onRetry={() => void refetch()} />
  return user ? <Details user={user} /> : <SkeletonCard rows={6} />
}

function Details({ user }: { user: AdminUser }) {
  usePageTitle('User', user.username)
  const navigate = useNavigate()
  const { data: teams } = useQuery(adminUserTeamsQuery(user.id))
  const [editing, setEditing] = useState(false)
  return (
    <>
      <PageHeader
        breadcrumb={<Breadcrumb items={[{ label: 'Users', to: '/admin/users/general' }]} />}
        title={
          <span className="flex items-center gap-2.5">
            <Avatar name={user.name} src={user.avatar} size={32} />
            {user.name}
          </span>
        }
        badge={
          <>
            {user.admin && <Badge tone="busy">Admin</Badge>}
            {user.suspended && <Badge tone="bad">Suspended</Badge>}
          </>
        }
        description={user.username}
        actions={
          <Button icon={<Pencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
            Edit
          </Button>
        }
      />
      <div className="mb-6 grid gap-4 lg:grid-cols-2 lg:items-start">
        <Card title="Account">
          <DetailList items={itemsOf(user)} />
        </Card>
        <UserHelp user={user} />
      </div>
      <SectionTitle title="Teams" />
      <Table
        label="Teams"
        rows={teams}
        columns={columns}
        rowId={({ id }) => id}
        rowTo={({ slug }) => `/team/${slug}`}
        empty={
          <EmptyState icon={<UsersRound />} title="Not in a team">
            They cannot do anything until a team owner invites them.
          </EmptyState>
        }
      />
      {editing && (
        <EditUserDialog
          user={user}
          onClose={() => setEditing(false)}
          onDeleted={() => void navigate({ to: '/admin/users/general' })}
        />
      )}
    </>
  )
}

const itemsOf = (user: AdminUser) => [
  { label: 'Username', value: user.username },
  {
    label: 'Email',
    value: (
      <span className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 wrap-anywhere">{user.email}</span>
        {user.sso_enabled && <Badge tone="busy">SSO enabled</Badge>}
        {user.email_verified ? <Badge tone="ok">Verified</Badge> : <Badge tone="warn">Unverified</Badge>}
      </span>
    ),
  },
  { label: 'Password', value: user.password_expired ? <Badge tone="warn">Expired</Badge> : 'Set' },
  { label: 'Second factor', value: user.mfa ? <Badge tone="ok">On</Badge> : 'None' },
  { label: 'Registered', value: formatExact(user.createdAt) },
]
