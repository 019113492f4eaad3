import type { ReactNode } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { type Tab, Tabs } from '../../../ui/Tabs.tsx'

/** The head of a page of the account area: what it is, its tabs and what can be done there. */
export function AccountSection({
  title,
  page,
  description,
  tabs,
  actions,
  children,
}: {
  /** As the side menu names it. */
  title: string
  /** As its tab names it, where there are tabs. */
  page?: string
  description?: ReactNode
  tabs?: Tab[]
  actions?: ReactNode
  children: ReactNode
}) {
  usePageTitle(page ?? title, 'User Settings')
  return (
    <>
      <PageHeader
        breadcrumb={<Breadcrumb items={[{ label: 'User Settings', to: '/account/settings' }]} />}
        title={title}
        description={description}
        actions={actions}
      />
      {tabs && (
        <div className="mb-5">
          <Tabs label={title} items={tabs} bleed />
        </div>
      )}
      {children}
    </>
  )
}
