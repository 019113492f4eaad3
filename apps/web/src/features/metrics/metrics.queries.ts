import type { MetricWindow, SparkWindow } from '@app/contract'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

/** A new point comes this often. */
const refetchInterval = 15_000

/** Usage of an instance in a window that ends now. */
export function useInstanceMetrics(instanceId: string, window: MetricWindow) {
  return useQuery({
    queryKey: keys.instanceMetrics(instanceId, window),
    queryFn: () => api.call('metrics.instance', { params: { instanceId }, query: { window } }),
    placeholderData: keepPreviousData,
    refetchInterval,
  })
}

/** The same of a team's instances, page by page. */
export function useTeamMetrics(teamId: string, window: SparkWindow) {
  return useInfiniteQuery({
    queryKey: keys.teamMetrics(teamId, window),
    queryFn: ({ pageParam }) =>
      api.call('metrics.team', { params: { teamId }, query: { window, ...(pageParam ? { cursor: pageParam } : {}) } }),
    initialPageParam: '',
    getNextPageParam: ({ meta }) => meta.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval,
  })
}
