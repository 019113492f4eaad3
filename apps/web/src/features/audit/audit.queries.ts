import { limits } from '@app/contract/constants'
import { queryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AuditScope } from '@app/contract/audit'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

/** A log: of a team, of an instance, of a device, or of the platform, then of one scope or all. */
export type AuditLogOf =
  | { scope: 'team' | 'project' | 'device'; id: string }
  | { scope: 'platform'; within?: AuditScope }
export interface AuditFilter {
  /** Event keys; empty for all. */
  events: string[]
  /** '' for everybody. */
  username: string
  /** Text anywhere in an entry; '' for all. */
  query: string
  /** Days as `yyyy-mm-dd`, both included; '' for no bound. */
  from: string
  to: string
}

/** The beginning of a day of the reader's calendar, `later` days on. */
function startOf(day: string, later = 0): string {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + later)
  return at.toISOString()
}
const isDay = (text: string) => !Number.isNaN(Date.parse(`${text}T00:00`))

/** The parameters shared by the calls for a log and for its export. */
function filterQuery(of: AuditLogOf, { events, username, query, from, to }: AuditFilter) {
  return {
    ...(events.length > 0 ? { event: events } : {}),
    ...(username === '' ? {} : { username }),
    ...(query === '' ? {} : { query }),
    ...(isDay(from) ? { from: startOf(from) } : {}),
    ...(isDay(to) ? { to: startOf(to, 1) } : {}),
    ...(of.scope === 'platform' && of.within ? { scope: of.within } : {}),
  }
}

/** An audit log, newest first, 200 entries a page [TAUD-03, AUDIT-09]. */
export function useAuditLog(of: AuditLogOf, filter: AuditFilter) {
  const narrowed = filterQuery(of, filter)
  return useInfiniteQuery({
    queryKey: of.scope === 'platform' ? keys.platformAudit(narrowed) : keys.audit(of.scope, of.id, narrowed),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const query = { limit: limits.auditPage, ...(pageParam === undefined ? {} : { cursor: pageParam }), ...narrowed }
      if (of.scope === 'platform') return api.call('auditLog.list', { query })
      if (of.scope === 'device') return api.call('device.auditLog', { params: { deviceId: of.id }, query })
      return of.scope === 'team'
        ? api.call('team.auditLog', { params: { teamId: of.id }, query })
        : api.call('instance.auditLog', { params: { instanceId: of.id }, query })
    },
    getNextPageParam: (page) => page.meta.next_cursor,
  })
}

/** Where the file with what the filters leave is; undefined for a log that has none. */
export function exportAddress(of: AuditLogOf, filter: AuditFilter, format: 'csv' | 'json'): string | undefined {
  if (of.scope === 'project' || of.scope === 'device') return undefined
  const { event = [], ...rest } = filterQuery(of, filter)
  const search = new URLSearchParams({ format, ...rest })
  for (const key of event) search.append('event', key)
  const log = of.scope === 'team' ? `/api/v1/teams/${of.id}` : '/api/v1/admin'
  return `${log}/audit-log/export?${search}`
}

/** Everybody with an account, for the filter of the platform's log [AUDIT-23]. */
export const platformUsersQuery = queryOptions({
  queryKey: keys.platformUsers,
  queryFn: async () => {
    const users = []
    let cursor: string | undefined
    do {
      const page = await api.call('user.list', { query: { limit: 1000, ...(cursor && { cursor }) } })
      users.push(...page.users)
      cursor = page.meta.next_cursor
    } while (cursor)
    return users
  },
})

const verifyPoll = 1_000

/** Whether the log is as it was written, as far as it was verified; asked again while that is under way. */
export function useIntegrity() {
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: keys.auditIntegrity,
    queryFn: () => api.call('auditLog.integrity'),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? verifyPoll : false),
  })
  const { mutate: verify } = useMutation({
    mutationFn: () => api.call('auditLog.verify'),
    onSuccess: (state) => client.setQueryData(keys.auditIntegrity, state),
  })
  return { integrity: data, verify: () => verify() }
}
