import type { InstanceMetrics, MetricWindow } from '@app/contract'
import { metricWindows } from '@app/contract/constants'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryTexts } from '../../../lib/use-query-state.ts'
import { LineChart } from '../../../ui/LineChart.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { Segmented } from '../../../ui/Segmented.tsx'
import { useCurrentInstance } from '../../instances/index.ts'
import { MetricsTable } from '../components/MetricsTable.tsx'
import { useInstanceMetrics } from '../metrics.queries.ts'
import { quantities } from '../quantities.ts'
import { ticksOf, timeOfStep } from '../times.ts'

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

/** What an instance used of its machine over time. */
export function InstancePerformancePage() {
  const instance = useCurrentInstance()
  usePageTitle('Performance', instance.name)
  const [texts, setTexts] = useQueryTexts(['window', 'show'])
  const window: MetricWindow = texts.window in metricWindows ? (texts.window as MetricWindow) : '1h'
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
        <Charts metrics={data} />
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

function Charts({ metrics }: { metrics: InstanceMetrics }) {
  const { from, step, series, starts, replicas } = metrics
  const [first, second] = replicas ?? []
  const [cursor, setCursor] = useState<number>()
  const steps = useMemo(() => ({ from, step, length: series.cpu.length }), [from, step, series])
  const ticks = useMemo(() => ticksOf(steps), [steps])
  const marks = useMemo(
    () => ({ at: starts.map((at) => (at - from) / (step * 1_000)), label: 'Node-RED started' }),
    [starts, from, step],
  )
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-2">
        {quantities.map(({ key, title, format, least, note }) => (
          <LineChart
            key={key}
            title={title}
            note={note}
            values={series[key]}
            second={first && second && { values: second.series[key], names: [first.id, second.id] }}
            format={format}
            least={least}
            ticks={ticks}
            marks={marks}
            timeAt={(index) => timeOfStep(steps, index)}
            cursor={cursor !== undefined && cursor < steps.length ? cursor : undefined}
            onCursor={setCursor}
          />
        ))}
      </div>
      <p className="text-md text-muted">
        Measured every 15 seconds and kept for 7 days. Where a line is interrupted nothing was measured, as while the
        instance is suspended.{starts.length > 0 && ' Dashed lines mark where Node-RED was started.'}
      </p>
    </>
  )
}
