import { Check, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'
import { formatDuration } from '../lib/dates.ts'
import { useNow } from '../lib/use-now.ts'
import { Progress } from './Progress.tsx'

export type Step = {
  id: string
  label: string
  state: 'todo' | 'now' | 'done' | 'failed'
  /** Duration, in ms. */
  took?: number | undefined
  /** Progress, where it can be counted. */
  progress?: { value: number; max: number; text?: string } | undefined
  /** Why it failed, or what it does just now. */
  note?: string | undefined
}

const words = { todo: 'waiting', now: 'in progress', done: 'done', failed: 'failed' }

/** Long work, step by step, with what it is at and the time it takes. The clock runs until `endedAt` is known. */
export function Steps({
  title,
  badge,
  waiting,
  startedAt,
  endedAt,
  steps,
  end,
}: {
  title: ReactNode
  badge?: ReactNode
  /** The reason to wait before the first step. */
  waiting?: string | undefined
  startedAt?: number | undefined
  endedAt?: number | undefined
  steps: Step[]
  /** The next action when it is over: 'Open Editor', 'Try again'. */
  end?: ReactNode
}) {
  const now = useNow(endedAt === undefined && startedAt !== undefined ? 200 : 0)
  const current = steps.find((step) => step.state === 'now' || step.state === 'failed')
  return (
    <section className="overflow-hidden rounded-lg border bg-panel">
      <div className="flex min-h-12.5 flex-wrap items-center gap-x-2.5 gap-y-1 border-b px-4 py-2">
        <h2 className="min-w-0 text-lg break-words">{title}</h2>
        {badge}
        {waiting && <span className="num text-muted">{waiting}</span>}
        {startedAt !== undefined && (
          <span className="num ml-auto text-md text-muted">
            {formatDuration(Math.max(0, (endedAt ?? now) - startedAt))}
          </span>
        )}
      </div>
      <p role="status" className="sr-only">
        {current ? `${current.label}: ${words[current.state]}` : waiting}
      </p>
      <ol>
        {steps.map((step) => (
          <li
            key={step.id}
            aria-current={step.state === 'now' ? 'step' : undefined}
            className={cn(
              'grid grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-3 px-4 py-2.25',
              step.state === 'now' && 'bg-busy-soft',
              step.state === 'todo' && 'text-muted',
            )}
          >
            <Dot state={step.state} />
            <div className="min-w-0">
              {step.label}
              <span className="sr-only"> ({words[step.state]})</span>
              {step.note && (
                <div className={cn('text-sm break-words', step.state === 'failed' ? 'text-bad-text' : 'text-muted')}>
                  {step.note}
                </div>
              )}
              {step.state === 'now' && step.progress && (
                <div className="mt-1.5">
                  <Progress value={step.progress.value} max={step.progress.max} label={step.label} />
                </div>
              )}
            </div>
            <span className="num text-md text-muted">{timing(step)}</span>
          </li>
        ))}
      </ol>
      {end && <div className="flex flex-wrap justify-end gap-2 border-t px-4 py-3">{end}</div>}
    </section>
  )
}

function timing(step: Step): string | undefined {
  if (step.took !== undefined) return formatDuration(step.took)
  return step.state === 'now' && step.progress
    ? (step.progress.text ?? `${step.progress.value} of ${step.progress.max}`)
    : undefined
}

function Dot({ state }: { state: Step['state'] }) {
  const look = 'grid size-4 place-items-center rounded-full'
  if (state === 'done')
    return (
      <span aria-hidden data-part="dot" className={cn(look, 'bg-ok text-panel')}>
        <Check size={11} strokeWidth={3.5} />
      </span>
    )
  if (state === 'failed')
    return (
      <span aria-hidden data-part="dot" className={cn(look, 'bg-bad text-panel')}>
        <X size={11} strokeWidth={3.5} />
      </span>
    )
  if (state === 'now')
    return (
      <span
        aria-hidden
        data-part="dot"
        className={cn(look, 'animate-spin border-2 border-busy border-r-transparent')}
      />
    )
  return <span aria-hidden data-part="dot" className={cn(look, 'border-2 border-line-strong')} />
}
