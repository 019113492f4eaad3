import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'

/** A bordered panel. With `title` it is a section with a heading; `end` holds its actions. */
export function Card({
  title,
  icon,
  note,
  end,
  padded = false,
  className,
  children,
}: {
  title?: ReactNode
  icon?: ReactNode
  /** Small text after the title: a count, a badge. */
  note?: ReactNode
  end?: ReactNode
  padded?: boolean
  className?: string
  children?: ReactNode
}) {
  return (
    <section className={cn('overflow-hidden rounded-lg border bg-panel', className)}>
      {title !== undefined && (
        <div
          className={cn('flex min-h-12.5 flex-wrap items-center gap-x-2.5 gap-y-2 px-4 py-2', children && 'border-b')}
        >
          {icon}
          <h2 className="text-lg">{title}</h2>
          {note !== undefined && <span className="num text-muted">{note}</span>}
          {end && <div className="ml-auto flex items-center gap-2">{end}</div>}
        </div>
      )}
      {padded ? <div className="p-4">{children}</div> : children}
    </section>
  )
}
