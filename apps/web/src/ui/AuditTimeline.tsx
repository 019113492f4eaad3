import { ChevronRight, CircleAlert, History } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { formatDay } from '../lib/dates.ts'
import { cn } from '../lib/cn.ts'
import { plural } from '../lib/plural.ts'
import { groupByDay } from './audit-days.ts'
import { Button } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'
import { Loading } from './Loading.tsx'
import { RelativeTime } from './RelativeTime.tsx'

export type TimelineEntry = {
  id: string
  /** Milliseconds. */
  time: number
  icon: ReactNode
  label: ReactNode
  who?: ReactNode
  info?: ReactNode
  /** The error: one line, and details to unfold. */
  error?: { message: string; detail?: string }
}

const openDays = 3

/** Events by day, newest first. The first three days are open. */
export function AuditTimeline({
  entries,
  onLoadMore,
  loadingMore,
}: {
  /** Undefined while loading. */
  entries: TimelineEntry[] | undefined
  onLoadMore?: (() => void) | undefined
  loadingMore?: boolean
}) {
  const [toggled, setToggled] = useState<Record<string, boolean>>({})
  const days = useMemo(() => groupByDay(entries ?? []), [entries])
  if (!entries) return <Loading message="Loading Activity..." />
  if (entries.length === 0 && !onLoadMore) return <EmptyState icon={<History />} title="No Activity Found" />
  return (
    <div className="flex flex-col gap-3">
      {entries.length === 0 && <EmptyState icon={<History />} title="No match in the newest entries" />}
      {days.map((day, index) => {
        const open = toggled[day.key] ?? index < openDays
        return (
          <DaySection
            key={day.key}
            title={formatDay(day.time)}
            entries={day.entries}
            open={open}
            onToggle={() => setToggled({ ...toggled, [day.key]: !open })}
          />
        )
      })}
      {onLoadMore && (
        <div className="flex justify-center">
          <Button variant="ghost" loading={loadingMore ?? false} onClick={onLoadMore}>
            Load more...
          </Button>
        </div>
      )}
    </div>
  )
}

function DaySection(props: { title: string; entries: TimelineEntry[]; open: boolean; onToggle: () => void }) {
  const id = useId()
  return (
    <section className="overflow-hidden rounded-lg border bg-panel">
      <h2>
        <button
          type="button"
          aria-expanded={props.open}
          aria-controls={id}
          onClick={props.onToggle}
          className="flex w-full items-center gap-2 px-4 py-2.5 -outline-offset-2 hover:bg-hover"
        >
          <ChevronRight
            size={16}
            aria-hidden
            className={cn('text-muted transition-transform', props.open && 'rotate-90')}
          />
          <span className="font-semibold">{props.title}</span>
          <span className="num ml-auto text-md font-normal text-muted">{plural(props.entries.length, 'Event')}</span>
        </button>
      </h2>
      <div id={id} hidden={!props.open}>
        {props.open && <EntryList entries={props.entries} className="border-t" />}
      </div>
    </section>
  )
}

/** Entries alone, without days: the recent ones on an overview. */
export function EntryList({ entries, className }: { entries: TimelineEntry[]; className?: string }) {
  return (
    <ol className={cn('divide-y', className)}>
      {entries.map((entry) => (
        <li key={entry.id} className="grid grid-cols-[20px_minmax(0,1fr)_auto] gap-x-3 px-4 py-2.5">
          <span aria-hidden className={cn('pt-0.5 [&>svg]:size-4', entry.error ? 'text-bad-text' : 'text-muted')}>
            {entry.error ? <CircleAlert /> : entry.icon}
          </span>
          <div className="min-w-0 break-words">
            <div>{entry.label}</div>
            {entry.info && <div className="text-md text-muted">{entry.info}</div>}
            {entry.error && <Failure {...entry.error} />}
            {entry.who && <div className="text-sm text-muted">{entry.who}</div>}
          </div>
          <RelativeTime time={entry.time} className="pt-0.5 text-sm whitespace-nowrap text-muted" />
        </li>
      ))}
    </ol>
  )
}

function Failure({ message, detail }: { message: string; detail?: string }) {
  return (
    <div className="text-md text-bad-text">
      Error: {message}
      {detail && (
        <details className="mt-1">
          <summary className="w-fit rounded-sm text-sm text-muted hover:text-ink">Show Error</summary>
          <pre
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must take the keyboard
            tabIndex={0}
            className="mono mt-1 max-h-60 overflow-auto rounded-md border bg-page p-2.5 text-ink"
          >
            {detail}
          </pre>
        </details>
      )}
    </div>
  )
}
