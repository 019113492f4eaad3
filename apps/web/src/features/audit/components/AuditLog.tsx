import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { cn } from '../../../lib/cn.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { AuditTimeline } from '../../../ui/AuditTimeline.tsx'
import { useCanInTeam } from '../../../lib/can.ts'
import { teamMembersQuery } from '../../teams/index.ts'
import { type AuditLogOf, platformUsersQuery, useAuditLog } from '../audit.queries.ts'
import { toTimeline } from '../entries.tsx'
import { eventChoices } from '../filters.ts'
import { AuditExport } from './AuditExport.tsx'
import { AuditFilters } from './AuditFilters.tsx'

/** An audit log with its filters, which live in the address. */
export function AuditLog({
  of,
  teamId,
  first,
  last,
}: {
  of: AuditLogOf
  /** The team whose members the user filter offers; absent: all users. */
  teamId?: string
  /** A filter that comes before the others. */
  first?: ReactNode
  /** Content below the filters. */
  last?: ReactNode
}) {
  const [event, setEvent] = useQueryText('event')
  const [username, setUsername] = useQueryText('user')
  const [query, setQuery] = useQueryText('q')
  const [from, setFrom] = useQueryText('from')
  const [to, setTo] = useQueryText('to')
  // Filters that are on must be seen.
  const [open, setOpen] = useState([event, username, from, to].some((text) => text !== ''))
  const choices = eventChoices(of)
  const events = choices.find(({ keys }) => keys.includes(event))?.keys ?? []
  const filter = { events, username, query, from, to }
  const log = useAuditLog(of, filter)
  // Limited members do not see who else is in the team.
  const seesMembers = useCanInTeam('team:user:list')
  const { data: members } = useQuery({
    ...teamMembersQuery(teamId ?? ''),
    enabled: teamId !== undefined && seesMembers,
  })
  const { data: everybody } = useQuery({ ...platformUsersQuery, enabled: teamId === undefined })
  const entries = log.data?.pages.flatMap((page) => page.log.map(toTimeline))
  const indexing = log.data?.pages.at(-1)?.meta.indexing
  const retry = () => void log.refetch()
  return (
    <div className="flex flex-col gap-6 lg:flex-row-reverse lg:items-start">
      <div className="flex flex-none flex-col gap-4">
        <AuditFilters
          choices={choices}
          users={members ?? everybody ?? []}
          filter={filter}
          onEvent={setEvent}
          onUsername={setUsername}
          onQuery={setQuery}
          onFrom={setFrom}
          onTo={setTo}
          first={first}
          open={open}
          onOpen={setOpen}
        />
        <div className={cn('flex flex-col gap-4', !open && 'max-sm:hidden')}>
          {last}
          <AuditExport of={of} filter={filter} />
        </div>
      </div>
      <div className="flex min-w-0 flex-1 flex-col gap-4">
        {indexing !== undefined && (
          <Banner>The search index is being rebuilt, {indexing} %. Load more to search older entries.</Banner>
        )}
        {log.error && !entries ? (
          <Failure
            error={log.error}
            onRetry={retry}
            needs={of.scope === 'project' || of.scope === 'device' ? 'Viewer' : 'Owner'}
          />
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
