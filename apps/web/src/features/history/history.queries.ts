import type { historyKinds } from '@app/contract/constants'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

export type HistoryKind = (typeof historyKinds)[number]
const perPage = 50

/** The history of an instance, newest first, a page at a time. `kind` '' stands for all. */
export function useHistory(instanceId: string, kind: HistoryKind | '', text: string) {
  return useInfiniteQuery({
    queryKey: keys.history(instanceId, kind, text),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      api.call('history.list', {
        params: { instanceId },
        query: {
          limit: perPage,
          ...(kind === '' ? {} : { kind }),
          ...(text === '' ? {} : { query: text }),
          ...(cursor === undefined ? {} : { cursor }),
        },
      }),
    getNextPageParam: ({ meta }) => meta.next_cursor,
    placeholderData: keepPreviousData,
  })
}

/** The changes from one kept content to another; without `from`, from what the instance holds now. Waits for a `to`. */
export function useHistoryChanges(instanceId: string, to: string, from: string | undefined) {
  return useQuery({
    queryKey: keys.history(instanceId, 'changes', to, from),
    enabled: to !== '',
    queryFn: () =>
      api.call('history.changes', { params: { instanceId }, query: { to, ...(from === undefined ? {} : { from }) } }),
  })
}
