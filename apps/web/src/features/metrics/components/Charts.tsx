import type { InstanceMetrics, Series } from '@app/contract'
import { useMemo, useState } from 'react'
import { cn } from '../../../lib/cn.ts'
import { LineChart } from '../../../ui/LineChart.tsx'
import { quantities } from '../quantities.ts'
import { ticksOf, timeOfStep } from '../times.ts'

/** Measurements of an instance, or of a device, whose requests nobody counts. */
type Charted = Pick<InstanceMetrics, 'from' | 'step' | 'replicas'> & {
  series: Pick<Series, 'cpu'> & Partial<Series>
  starts?: InstanceMetrics['starts']
}
const none: never[] = []

/**
 * Each quantity in a chart of its own; a point in time is read in all of them at once. `brief` stands beside other
 * things: a phone shows the first two.
 */
export function Charts({ metrics, brief }: { metrics: Charted; brief?: boolean }) {
  const { from, step, series, starts = none, replicas } = metrics
  const [first, second] = replicas ?? []
  const [cursor, setCursor] = useState<number>()
  const steps = useMemo(() => ({ from, step, length: series.cpu.length }), [from, step, series])
  const shown = quantities.flatMap((one) => {
    const values = series[one.key]
    return values ? [{ ...one, values }] : []
  })
  const isThree = shown.length === 3
  const parts = brief || isThree ? 2 : 4
  const ticks = useMemo(() => ticksOf(steps, parts), [steps, parts])
  const marks = useMemo(
    () => ({ at: starts.map((at) => (at - from) / (step * 1_000)), label: 'Node-RED started' }),
    [starts, from, step],
  )
  const columns = brief
    ? 'sm:grid-cols-2 max-sm:[&>*:nth-child(n+3)]:hidden'
    : isThree
      ? 'lg:grid-cols-3'
      : 'lg:grid-cols-2'
  return (
    <div className={cn('grid gap-4', columns)}>
      {shown.map(({ key, title, format, least, note, values }) => (
        <LineChart
          key={key}
          title={title}
          note={note}
          values={values}
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
  )
}
