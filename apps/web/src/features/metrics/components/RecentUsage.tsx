import type { Instance } from '@app/contract'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useInstanceMetrics } from '../metrics.queries.ts'
import { quantities } from '../quantities.ts'
import { usualWindow } from '../times.ts'
import { Charts } from './Charts.tsx'

/** Recent usage of an instance for its overview; empty if it did not run. Its own page shows failures. */
export function RecentUsage({ instance }: { instance: Pick<Instance, 'id' | 'createdAt' | 'meta'> }) {
  const { state } = instance.meta
  const runs = state === 'running' || state === 'safe'
  const { data, error } = useInstanceMetrics(instance.id, usualWindow(instance.createdAt))
  if (data) {
    const isMeasured = Object.values(data.series).some((values) => values.some((value) => value !== null))
    return (isMeasured || runs) && <Charts metrics={data} brief />
  }
  return runs && !error && <ChartsToCome />
}

/** As tall as the charts, so that nothing moves when they come. */
function ChartsToCome() {
  return (
    <div role="status" aria-label="Loading..." className="grid gap-4 sm:grid-cols-2">
      {quantities.map(({ key }) => (
        <div key={key} className="flex h-49 flex-col gap-3 rounded-lg border bg-panel p-4 max-sm:nth-[n+3]:hidden">
          <Skeleton className="w-20" />
          <Skeleton className="h-5 w-28" />
        </div>
      ))}
    </div>
  )
}
