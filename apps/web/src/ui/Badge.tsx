import { Square } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'

export type Tone = 'ok' | 'busy' | 'warn' | 'bad' | 'idle'

const looks: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok-text',
  busy: 'bg-busy-soft text-busy-text',
  warn: 'bg-warn-soft text-warn-text',
  bad: 'bg-bad-soft text-bad-text',
  idle: 'bg-idle-soft text-muted',
}
const dots: Record<Tone, string> = { ok: 'bg-ok', busy: 'bg-busy', warn: 'bg-warn', bad: 'bg-bad', idle: 'bg-idle' }
const rings: Record<Tone, string> = {
  ok: 'text-ok',
  busy: 'text-busy',
  warn: 'text-warn',
  bad: 'text-bad',
  idle: 'text-idle',
}

/**
 * A dot and a word: the colour never stands alone. `mark` draws a stop sign for the dot, or nothing; `turning` draws a
 * spinner; `faint` takes the ground away, for what is asked for but not yet so.
 */
export function Badge({
  tone = 'idle',
  mark = 'dot',
  turning,
  faint,
  children,
}: {
  tone?: Tone
  mark?: 'dot' | 'stop' | 'none'
  turning?: boolean
  faint?: boolean
  children: ReactNode
}) {
  return (
    <span
      className={cn(
        'inline-flex h-5 items-center gap-1.5 rounded-xl border py-0 pr-2 text-sm font-medium whitespace-nowrap',
        turning || mark !== 'none' ? 'pl-1.75' : 'pl-2',
        faint ? 'border-dashed border-line-strong text-muted' : `border-transparent ${looks[tone]}`,
      )}
    >
      {turning ? (
        <span
          aria-hidden
          className={cn(
            'size-2.25 animate-spin rounded-full border-2 border-current border-r-transparent',
            rings[tone],
          )}
        />
      ) : mark === 'stop' ? (
        <Square size={9} aria-hidden strokeWidth={4} className={cn('flex-none fill-current', rings[tone])} />
      ) : (
        mark === 'dot' && <span aria-hidden data-part="dot" className={cn('size-1.75 rounded-full', dots[tone])} />
      )}
      {children}
    </span>
  )
}

/** A small outlined note beside a name: '2 replicas', '7'. */
export function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="num rounded-sm border border-line px-1.25 text-xs font-medium whitespace-nowrap text-muted">
      {children}
    </span>
  )
}

/** A count that asks for attention; nothing at all for 0. `label` says what is counted. */
export function CountPill({ count, label }: { count: number | undefined; label: string }) {
  if (!count || count <= 0) return null
  return (
    <span className="num inline-block min-w-4 rounded-full bg-accent px-1 text-center text-xs font-semibold text-on-accent">
      {count}
      <span className="sr-only"> {label}</span>
    </span>
  )
}
