import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'
import { RouterLink } from './RouterLink.tsx'
import { fadedEnds, useScrolledTabs } from './use-scrolled-tabs.ts'

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
      <nav ref={useScrolledTabs()} aria-label={label} className={cn('-mx-1 overflow-x-auto p-1', fadedEnds)}>
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
