import { lastOf } from '../../../ui/chart-model.ts'
import { Sparkline } from '../../../ui/LineChart.tsx'
import { useTeamMetrics } from '../metrics.queries.ts'
import { quantities } from '../quantities.ts'

const shown = quantities.filter(({ key }) => key === 'cpu')

/** The CPU that an instance of a team used in the last hour; nothing of one that was not measured. */
export function InstanceSparkline({ teamId, instanceId }: { teamId: string; instanceId: string }) {
  const { data } = useTeamMetrics(teamId, '1h')
  const series = data?.pages.flatMap(({ instances }) => instances).find(({ id }) => id === instanceId)?.series
  return shown.map(({ key, title, format, least }) => {
    const last = series && lastOf(series[key])
    if (!series || last === undefined || last === null) return null
    const text = format(last)
    return (
      <span key={key} className="flex items-center gap-3" title={`${title} in the last hour`}>
        <span className="w-40 flex-none">
          <Sparkline values={series[key]} least={least} label={`${title}, at last ${text}`} />
        </span>
        <span aria-hidden className="num text-md whitespace-nowrap text-muted">
          {text}
        </span>
      </span>
    )
  })
}
