import type { ReactNode } from 'react'
import { RouterLink } from './RouterLink.tsx'

/** Pages within a page, as links beside it; a row that scrolls sideways on phones. */
export function SideTabs({
  label,
  items,
  children,
}: {
  label: string
  items: { to: string; label: string }[]
  children: ReactNode
}) {
  return (
    <div className="grid gap-5 lg:grid-cols-[180px_minmax(0,1fr)] lg:items-start">
      <nav aria-label={label} className="-mx-1 overflow-x-auto p-1">
        <ul className="flex gap-1 lg:flex-col">
          {items.map(({ to, label: text }) => (
            <li key={to} className="flex-none">
              <RouterLink
                to={to}
                className="block rounded-md px-2.5 py-1.5 font-medium text-muted hover:bg-hover hover:text-ink data-[status=active]:bg-selected data-[status=active]:text-ink"
              >
                {text}
              </RouterLink>
            </li>
          ))}
        </ul>
      </nav>
      <div className="min-w-0">{children}</div>
    </div>
  )
}
