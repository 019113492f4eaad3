import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'

const looks = {
  info: ['border-busy-line bg-busy-soft', 'text-busy-text', Info],
  success: ['border-ok-line bg-ok-soft', 'text-ok-text', CircleCheck],
  warning: ['border-warn-line bg-warn-soft', 'text-warn-text', TriangleAlert],
  error: ['border-bad-line bg-bad-soft', 'text-bad-text', CircleAlert],
} as const

/** Something the whole page is subject to. `flush` sits edge to edge under the header. */
export function Banner({
  kind = 'info',
  action,
  flush,
  children,
}: {
  kind?: keyof typeof looks
  action?: ReactNode
  flush?: boolean
  children: ReactNode
}) {
  const [box, ink, Icon] = looks[kind]
  return (
    <div
      role={kind === 'error' ? 'alert' : 'status'}
      className={cn(
        'flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2',
        box,
        flush ? 'border-b lg:px-8' : 'rounded-lg border',
      )}
    >
      <Icon size={16} aria-hidden className={ink} />
      {/* An action that would squeeze the words goes below them. */}
      <div className="min-w-0 flex-1 basis-48">{children}</div>
      {action}
    </div>
  )
}
