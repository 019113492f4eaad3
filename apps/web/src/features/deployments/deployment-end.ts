import { intervals } from '@app/contract/constants'
import type { Deployment } from '@app/contract'
import { type QueryClient, QueryObserver, type QueryObserverOptions } from '@tanstack/react-query'
import { ApiError } from '../../lib/api.ts'
import { isLive, onLive } from '../../lib/realtime.ts'

type Last = Deployment | null
type LastQuery = Pick<QueryObserverOptions<Last>, 'queryKey'> & { queryFn?: unknown }

/** Answers of a platform, or of a proxy before it, that cannot answer now. */
const later = new Set([429, 502, 503, 504])

/**
 * The last deployment, read from now on, once it has ended: told by push or, while that is down, by asking. Null when
 * none was needed, undefined when it cannot be known any more. A platform that does not answer, or not now, is asked again.
 */
export async function endOf(client: QueryClient, query: LastQuery): Promise<Last | undefined> {
  // A read in progress may have been answered before the deployment began.
  await client.cancelQueries({ queryKey: query.queryKey, exact: true })
  const options = () =>
    ({
      ...query,
      staleTime: 0,
      refetchInterval: ({ state }) => !(isLive() && state.error === null) && intervals.deploymentPoll,
      refetchIntervalInBackground: true,
    }) as QueryObserverOptions<Last>
  const observer = new QueryObserver<Last>(client, options())
  const { promise, resolve } = Promise.withResolvers<Last | undefined>()
  const ends = [
    onLive(() => observer.setOptions(options())),
    observer.subscribe(({ data, error, isFetching, isFetchedAfterMount }) => {
      if (error instanceof ApiError && !later.has(error.status)) resolve(undefined)
      else if (isFetchedAfterMount && !isFetching && !error && (data === null || data?.endedAt !== undefined))
        resolve(data)
    }),
  ]
  const end = await promise
  for (const stop of ends) stop()
  return end
}
