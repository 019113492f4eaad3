import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { ButtonLink } from './Button.tsx'
import { HelpLink } from './HelpLink.tsx'

/** The heading of a page, once per page, with its actions and a link to the handbook. */
export function PageHeader({
  title,
  badge,
  description,
  breadcrumb,
  actions,
}: {
  title: ReactNode
  badge?: ReactNode
  description?: ReactNode
  breadcrumb?: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className="mb-5 flex flex-wrap items-start gap-3">
      <div className="min-w-0 flex-1 basis-64">
        {breadcrumb}
        <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold tracking-[-0.01em] break-words">{title}</h1>
          {badge}
          <HelpLink />
        </div>
        {description && <p className="text-muted">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-3">{actions}</div>}
    </div>
  )
}

/** The heading of one entry of a list, with the way back to the list; its actions are `children`. */
export function EntryHeader({
  list,
  title,
  children,
}: {
  list: { to: string; label: string }
  /** Absent for an entry that is no longer there. */
  title?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <ButtonLink to={list.to} variant="ghost" size="sm" icon={<ArrowLeft size={14} aria-hidden />}>
        {list.label}
      </ButtonLink>
      {title && <h2 className="min-w-0 flex-1 basis-40 text-lg break-words">{title}</h2>}
      {children}
    </div>
  )
}

/** A heading inside a page, with a line of explanation and an action. */
export function SectionTitle({ title, note, action }: { title: ReactNode; note?: ReactNode; action?: ReactNode }) {
  return (
    <div className="mb-3 flex flex-wrap items-end gap-x-3 gap-y-2">
      <div className="min-w-0 flex-1 basis-48">
        <h2 className="text-lg">{title}</h2>
        {note && <p className="text-md text-muted">{note}</p>}
      </div>
      {action}
    </div>
  )
}
