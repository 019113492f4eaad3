import type { AdminUser } from '@app/contract'
import { Pencil, UserRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { useSettled } from '../../../lib/use-settled.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useSettings } from '../../account/index.ts'
import { EditUserDialog } from '../components/EditUserDialog.tsx'
import { Mark } from '../components/Mark.tsx'
import { Person } from '../../../ui/Person.tsx'
import { UsersFrame } from '../components/UsersFrame.tsx'
import { countNote } from '../count-note.ts'
import { useUsers } from '../users.queries.ts'

/** Everybody with an account [AUSER-01]. */
export function AdminUsersPage() {
  const [text, setText] = useQueryText('q')
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useUsers(useSettled(text))
  const [editing, setEditing] = useState<AdminUser>()
  const sso = useSettings()?.features.sso === true
  const columns = useMemo(() => columnsFor(sso, setEditing), [sso])
  const users = useMemo(() => data?.pages.flatMap((page) => page.users), [data])
  return (
    <UsersFrame>
      {error && !users ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <SearchInput
            className="mb-3 sm:max-w-100"
            label="Search by name, username or email..."
            value={text}
            onChange={setText}
            note={countNote(data?.pages[0]?.count)}
          />
          <Table
            label="Users"
            rows={users}
            columns={columns}
            rowId={({ id }) => id}
            rowTo={({ id }) => `/admin/users/${id}`}
            onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
            loadingMore={isFetchingNextPage}
            empty={
              <EmptyState
                icon={<UserRound />}
                title="No Users Found"
                action={<Button onClick={() => setText('')}>Clear search</Button>}
              >
                Search by the start of a word in the name, username or email address.
              </EmptyState>
            }
          />
        </>
      )}
      {editing && <EditUserDialog user={editing} onClose={() => setEditing(undefined)} />}
    </UsersFrame>
  )
}

function columnsFor(sso: boolean, onEdit: (user: AdminUser) => void): Column<AdminUser>[] {
  const mark = (id: string, header: string, on: (user: AdminUser) => boolean | undefined): Column<AdminUser> => ({
    id,
    header,
    cell: (user) => <Mark on={on(user)} />,
  })
  return [
    { id: 'user', header: 'User', cell: (user) => <Person {...user} /> },
    mark('expired', 'Password Expired', (user) => user.password_expired),
    mark('verified', 'Email Verified', (user) => user.email_verified),
    ...(sso ? [mark('sso', 'SSO Enabled', (user) => user.sso_enabled)] : []),
    mark('admin', 'Admin', (user) => user.admin),
    mark('suspended', 'Suspended', (user) => user.suspended),
    {
      id: 'menu',
      header: '',
      align: 'end',
      width: 'w-14',
      cell: (user) => (
        <RowMenu
          name={user.username}
          items={[{ label: 'Edit User', icon: <Pencil size={16} aria-hidden />, onSelect: () => onEdit(user) }]}
        />
      ),
    },
  ]
}
