import type { ReactNode } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { AuditTimeline } from '../../../ui/AuditTimeline.tsx'
import { type AuditLogOf, useAuditLog } from '../audit.queries.ts'
import { toTimeline } from '../entries.tsx'
import { eventChoices } from '../filters.ts'
import { AuditFilters } from './AuditFilters.tsx'

/** An audit log with its filters, which live in the address. */
export function AuditLog({
  of,
  teamId,
  first,
}: {
  of: AuditLogOf
  /** Whose members the user filter offers. */
  teamId: string
  /** A filter that comes before the others. */
  first?: ReactNode
}) {
  const [event, setEvent] = useQueryText('event')
  const [username, setUsername] = useQueryText('user')
  const choices = eventChoices(of.scope)
  const events = choices.find(({ keys }) => keys.includes(event))?.keys ?? []
  const log = useAuditLog(of, { events, username })
  const entries = log.data?.pages.flatMap((page) => page.log.map(toTimeline))
  const retry = () => void log.refetch()
  return (
    <div className="flex flex-col gap-6 lg:flex-row-reverse lg:items-start">
      <AuditFilters
        choices={choices}
        event={events[0] ?? ''}
        onEvent={setEvent}
        teamId={teamId}
        username={username}
        onUsername={setUsername}
        first={first}
      />
      <div className="min-w-0 flex-1">
        {log.error && !entries ? (
          <Failure error={log.error} onRetry={retry} needs={of.scope === 'team' ? 'Owner' : 'Viewer'} />
        ) : (
          <AuditTimeline
            entries={entries}
            onLoadMore={log.hasNextPage ? () => void log.fetchNextPage() : undefined}
            loadingMore={log.isFetchingNextPage}
          />
        )}
      </div>
    </div>
  )
}
