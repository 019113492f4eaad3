import type { ReactNode } from 'react'
import { NoAccess } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { useUser } from '../../account/index.ts'

/** The head of a page about running the platform; anybody but an administrator sees why there is nothing. */
export function OperationsFrame({
  title,
  description,
  actions,
  children,
}: {
  title: string
  description: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  usePageTitle(title, 'Admin Settings')
  const { admin } = useUser()
  if (!admin) return <NoAccess>Only administrators look after the platform.</NoAccess>
  return (
    <>
      <PageHeader
        breadcrumb={<Breadcrumb items={[{ label: 'Admin Settings', to: '/admin' }]} />}
        title={title}
        description={description}
        actions={actions}
      />
      {children}
    </>
  )
}
