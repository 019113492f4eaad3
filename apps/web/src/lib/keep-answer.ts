import type { QueryClient } from '@tanstack/react-query'

/**
 * Puts what a change was answered with into the query cache. A reading that is under way may have begun before the
 * change, so it is given up; as it may have been about a later change as well, it begins anew.
 */
export async function keepAnswer<T>(client: QueryClient, queryKey: readonly unknown[], answer: T): Promise<void> {
  const one = { queryKey, exact: true }
  const wasReading = client.isFetching(one) > 0
  await client.cancelQueries(one)
  client.setQueryData<T>(queryKey, answer)
  if (wasReading) void client.invalidateQueries(one)
}
