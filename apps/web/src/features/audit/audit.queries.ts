import { limits } from '@app/contract/constants'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

/** Whose log: a team's, or an instance's. */
export type AuditLogOf = { scope: 'team' | 'project'; id: string }
export interface AuditFilter {
  /** Event keys; empty for all. */
  events: string[]
  /** '' for everybody. */
  username: string
}

/** An audit log, newest first, 200 entries a page [TAUD-03, AUDIT-09]. */
export function useAuditLog({ scope, id }: AuditLogOf, { events, username }: AuditFilter) {
  return useInfiniteQuery({
    queryKey: keys.audit(scope, id, events, username),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const query = {
        limit: limits.auditPage,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
        ...(events.length > 0 ? { event: events } : {}),
        ...(username === '' ? {} : { username }),
      }
      return scope === 'team'
        ? api.call('team.auditLog', { params: { teamId: id }, query })
        : api.call('instance.auditLog', { params: { instanceId: id }, query })
    },
    getNextPageParam: (page) => page.meta.next_cursor,
  })
}
