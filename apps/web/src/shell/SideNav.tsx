import { PanelLeftClose, PanelLeftOpen, Sparkles } from 'lucide-react'
import { cn } from '../lib/cn.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { CountPill } from '../ui/Badge.tsx'
import { RouterLink } from '../ui/RouterLink.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import type { NavItem, NavSection } from './nav-item.ts'

const rowStyle =
  'flex h-8.5 w-full items-center gap-2.5 rounded-md px-2.5 font-medium text-muted transition-colors hover:bg-hover'

/** The list of places, in the column and in the drawer alike. Minimised it shows icons with tooltips. */
export function SideNav({
  sections,
  minimised = false,
  onMinimise,
  onNavigate,
}: {
  sections: NavSection[]
  minimised?: boolean
  /** Without it there is no Minimise button (drawer). */
  onMinimise?: (minimised: boolean) => void
  onNavigate?: () => void
}) {
  const Arrow = minimised ? PanelLeftOpen : PanelLeftClose
  const toggleLabel = minimised ? 'Expand' : 'Minimise'
  return (
    <div className={cn('flex min-h-full flex-col gap-0.5', minimised ? 'px-2 py-3' : 'p-3')}>
      {sections.map((section, index) => (
        <div key={section.heading ?? `section-${index}`}>
          {section.heading &&
            (minimised ? (
              <hr className="mx-1 my-2" />
            ) : (
              <h2 className="px-2.5 pt-4 pb-1.5 text-xs tracking-wider text-muted uppercase">{section.heading}</h2>
            ))}
          <ul className="flex flex-col gap-0.5">
            {section.items.map((item) => (
              <li key={item.to}>
                <NavLink item={item} minimised={minimised} onNavigate={onNavigate} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      {onMinimise && (
        <Tooltip content={minimised && toggleLabel} side="right">
          <button
            type="button"
            aria-expanded={!minimised}
            onClick={() => onMinimise(!minimised)}
            className={cn(rowStyle, 'mt-auto')}
          >
            <Arrow size={16} aria-hidden />
            <span className={cn(minimised && 'sr-only')}>{toggleLabel}</span>
          </button>
        </Tooltip>
      )}
    </div>
  )
}

const widths = ['w-24', 'w-20', 'w-16', 'w-26', 'w-18']

/** The list of places while it is not known yet. */
export function SkeletonNav({ minimised }: { minimised: boolean }) {
  return (
    <div role="status" aria-label="Loading..." className={cn('flex flex-col gap-0.5', minimised ? 'px-2 py-3' : 'p-3')}>
      {widths.map((width) => (
        <div key={width} className="flex h-8.5 items-center gap-2.5 px-2.5">
          <Skeleton className="size-4" />
          {!minimised && <Skeleton className={width} />}
        </div>
      ))}
    </div>
  )
}

function NavLink(props: { item: NavItem; minimised: boolean; onNavigate: (() => void) | undefined }) {
  const { item, minimised } = props
  return (
    <Tooltip content={minimised && (item.unavailable ? `${item.label} (not available)` : item.label)} side="right">
      <RouterLink
        to={item.to}
        onClick={props.onNavigate}
        {...(item.current ? { 'aria-current': 'page' as const, 'data-status': 'active' } : {})}
        className={cn(
          rowStyle,
          'relative [&>svg]:size-4 data-[status=active]:bg-selected data-[status=active]:text-ink',
        )}
      >
        {item.icon}
        {item.avatar && !minimised && <Avatar {...item.avatar} shape="square" size={18} />}
        <span className={cn('min-w-0 flex-1 truncate', minimised && 'sr-only')}>{item.label}</span>
        {item.unavailable && (
          <span className={minimised ? 'sr-only' : 'inline-flex'}>
            <Sparkles size={14} aria-hidden />
            <span className="sr-only">(not available)</span>
          </span>
        )}
        {item.count !== undefined && item.count > 0 && (
          <span className={cn(minimised && 'absolute -top-0.5 -right-0.5')}>
            <CountPill count={item.count} label="waiting" />
          </span>
        )}
      </RouterLink>
    </Tooltip>
  )
}
