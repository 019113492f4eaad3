import { useQueryText } from '../../../lib/use-query-state.ts'
import { type ListedInstance, useApplicationInstances } from '../applications.queries.ts'

/** The instances of an application by name, and the one chosen in the address; without a choice, the first that runs, else the first [APP-32]. */
export function useChosenInstance(applicationId: string) {
  const { data, error, refetch } = useApplicationInstances(applicationId)
  const [wanted, choose] = useQueryText('instance')
  const byName = (a: ListedInstance, b: ListedInstance) => a.name.localeCompare(b.name)
  const instances = data && [...data.instances].sort(byName)
  const running = instances?.find(({ meta }) => meta?.state === 'running')
  const chosen = instances?.find(({ id }) => id === wanted) ?? running ?? instances?.[0]
  return { instances, chosen, choose, error, retry: () => void refetch() }
}
