import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'
import { CountPill } from './Badge.tsx'
import { RouterLink } from './RouterLink.tsx'
import { fadedEnds, useScrolledTabs } from './use-scrolled-tabs.ts'

export type Tab = {
  to: string
  label: string
  icon?: ReactNode
  count?: number | undefined
  exact?: boolean
  /** Addresses that begin otherwise and belong to this tab, too. */
  more?: string[]
}

/** The router marks a link on its own address and those below it alone. */
const here = { 'data-status': 'active', 'aria-current': 'page' } as const

/** Tabs that are links: the address says which one is open, so Back and sharing work. Scrolls sideways on phones. */
export function Tabs({ label, items, bleed }: { label: string; items: Tab[]; bleed?: boolean }) {
  const { pathname } = useLocation()
  return (
    <nav
      ref={useScrolledTabs()}
      aria-label={label}
      className={cn(
        'overflow-x-auto shadow-[inset_0_-1px_var(--line)]',
        fadedEnds,
        bleed && '-mx-4 px-4 lg:-mx-8 lg:px-8',
      )}
    >
      <ul className="flex gap-1">
        {items.map((tab) => (
          <li key={tab.to} className="flex-none">
            <RouterLink
              to={tab.to}
              exact={tab.exact}
              {...(tab.more?.some((path) => pathname.startsWith(path)) && here)}
              className="flex items-center gap-1.5 rounded-t-md border-b-2 border-transparent px-2.5 pt-2 pb-2.25 font-medium text-muted -outline-offset-2 transition-colors hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink"
            >
              {tab.icon}
              {tab.label}
              <CountPill count={tab.count} label="new" />
            </RouterLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
