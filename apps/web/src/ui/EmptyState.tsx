import type { ReactNode } from 'react'

/** Nothing here yet: what this place is for, one picture and one action. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  level = 2,
}: {
  icon: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
  /** 1 when it is all there is on the page. */
  level?: 1 | 2
}) {
  const Heading = level === 1 ? 'h1' : 'h2'
  return (
    <div className="grid place-items-center px-4 py-16 text-center sm:py-24">
      <div className="flex max-w-110 flex-col items-center gap-3">
        <span
          aria-hidden
          className="grid size-12 place-items-center rounded-xl bg-accent-soft text-accent-text [&>svg]:size-5"
        >
          {icon}
        </span>
        <Heading className="text-lg text-balance">{title}</Heading>
        {children && <div className="text-balance text-muted">{children}</div>}
        {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
      </div>
    </div>
  )
}
