import type { ReactNode } from 'react'
import { Breadcrumb, type Crumb } from '../ui/Breadcrumb.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { type Tab, Tabs } from '../ui/Tabs.tsx'

/** The header of a thing with a state of its own and pages below it. Stands first in the main part, edge to edge. */
export function StatusHeader({
  breadcrumb,
  title,
  badge,
  actions,
  tabs,
  label,
}: {
  breadcrumb?: Crumb[]
  title: ReactNode
  /** Its state, and other marks beside the name. */
  badge?: ReactNode
  actions?: ReactNode
  tabs: Tab[]
  /** Names the tabs: 'Instance'. */
  label: string
}) {
  return (
    <div className="mb-5">
      <div className="[&>div]:mb-3">
        <PageHeader
          breadcrumb={breadcrumb && breadcrumb.length > 0 && <Breadcrumb items={breadcrumb} />}
          title={title}
          badge={badge}
          actions={actions}
        />
      </div>
      <Tabs label={label} items={tabs} bleed />
    </div>
  )
}
