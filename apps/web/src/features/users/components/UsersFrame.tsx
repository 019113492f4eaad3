import { UserPlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'

const tabs = [
  { to: '/admin/users/general', label: 'Users' },
  { to: '/admin/users/invitations', label: 'Invitations' },
]

/** Heading and tabs of both lists of people. */
export function UsersFrame({ children }: { children: ReactNode }) {
  usePageTitle('Users', 'Admin')
  return (
    <>
      <PageHeader
        title="Users"
        description="All accounts on this platform."
        actions={
          <ButtonLink to="/admin/users/create" variant="primary" icon={<UserPlus size={16} aria-hidden />}>
            Create New User
          </ButtonLink>
        }
      />
      <div className="mb-4">
        <Tabs label="Users" items={tabs} />
      </div>
      <div className="[--above-table:264px]">{children}</div>
    </>
  )
}
