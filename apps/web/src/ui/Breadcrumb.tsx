import { ChevronRight } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { RouterLink } from './RouterLink.tsx'

export type Crumb = { label: string; to?: string; icon?: ReactNode }

/** The way up from this page; the page itself is the heading below, so the trail ends with an arrow. */
export function Breadcrumb({ items }: { items: Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 items-center gap-1.5 text-md text-muted">
      {items.map(({ label, to, icon }) => (
        <Fragment key={label}>
          {to ? (
            <RouterLink
              to={to}
              marksPlace={false}
              className="inline-flex min-w-0 items-center gap-1.5 rounded-sm hover:text-ink hover:underline"
            >
              {icon}
              <span className="truncate">{label}</span>
            </RouterLink>
          ) : (
            <span className="inline-flex min-w-0 items-center gap-1.5">
              {icon}
              <span className="truncate">{label}</span>
            </span>
          )}
          <ChevronRight size={14} aria-hidden className="flex-none" />
        </Fragment>
      ))}
    </nav>
  )
}
