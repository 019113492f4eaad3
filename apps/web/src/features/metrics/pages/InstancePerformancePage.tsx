import type { MetricWindow } from '@app/contract'
import { metricWindows } from '@app/contract/constants'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryTexts } from '../../../lib/use-query-state.ts'
import { Loading } from '../../../ui/Loading.tsx'
import { Segmented } from '../../../ui/Segmented.tsx'
import { useCurrentInstance } from '../../instances/index.ts'
import { Charts } from '../components/Charts.tsx'
import { MetricsTable } from '../components/MetricsTable.tsx'
import { useInstanceMetrics } from '../metrics.queries.ts'
import { usualWindow } from '../times.ts'

const windows = [
  { value: '15m', label: '15 min' },
  { value: '1h', label: '1 h' },
  { value: '6h', label: '6 h' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 days' },
]
const looks = [
  { value: '', label: 'Charts' },
  { value: 'table', label: 'Table' },
]

/** Charts of what an instance uses over time. */
export function InstancePerformancePage() {
  const instance = useCurrentInstance()
  usePageTitle('Performance', instance.name)
  const [texts, setTexts] = useQueryTexts(['window', 'show'])
  const window: MetricWindow =
    texts.window in metricWindows ? (texts.window as MetricWindow) : usualWindow(instance.createdAt)
  const { data, error, refetch } = useInstanceMetrics(instance.id, window)
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <Segmented label="Time" value={window} options={windows} onChange={(value) => setTexts({ window: value })} />
        <Look value={texts.show === 'table' ? 'table' : ''} onChange={(show) => setTexts({ show })} />
      </div>
      {!data ? (
        <Loading message="Loading measurements..." />
      ) : texts.show === 'table' ? (
        <MetricsTable metrics={data} />
      ) : (
        <>
          <Charts metrics={data} />
          <p className="text-md text-muted">
            Measured every 15 seconds and kept for 7 days. A gap means that nothing was measured, for example while the
            instance was suspended.{data.starts.length > 0 && ' Dashed lines mark where Node-RED was started.'}
          </p>
        </>
      )}
    </div>
  )
}

/** An empty text leaves the address, so the usual look is that. */
function Look({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const options = looks.map((look) => ({ ...look, value: look.value || 'charts' }))
  return (
    <Segmented
      label="Show as"
      value={value || 'charts'}
      options={options}
      onChange={(next) => onChange(next === 'charts' ? '' : next)}
    />
  )
}
