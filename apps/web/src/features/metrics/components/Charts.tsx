import type { InstanceMetrics } from '@app/contract'
import { useMemo, useState } from 'react'
import { cn } from '../../../lib/cn.ts'
import { LineChart } from '../../../ui/LineChart.tsx'
import { quantities } from '../quantities.ts'
import { ticksOf, timeOfStep } from '../times.ts'

/**
 * Each quantity in a chart of its own; a point in time is read in all of them at once. `brief` stands beside other
 * things: a phone shows the first two.
 */
export function Charts({ metrics, brief }: { metrics: InstanceMetrics; brief?: boolean }) {
  const { from, step, series, starts, replicas } = metrics
  const [first, second] = replicas ?? []
  const [cursor, setCursor] = useState<number>()
  const steps = useMemo(() => ({ from, step, length: series.cpu.length }), [from, step, series])
  const ticks = useMemo(() => ticksOf(steps, brief ? 2 : 4), [steps, brief])
  const marks = useMemo(
    () => ({ at: starts.map((at) => (at - from) / (step * 1_000)), label: 'Node-RED started' }),
    [starts, from, step],
  )
  return (
    <div className={cn('grid gap-4', brief ? 'sm:grid-cols-2 max-sm:[&>*:nth-child(n+3)]:hidden' : 'lg:grid-cols-2')}>
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
  )
}
