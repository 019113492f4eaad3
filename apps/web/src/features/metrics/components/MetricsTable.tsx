import type { InstanceMetrics } from '@app/contract'
import { ChartLine } from 'lucide-react'
import { useMemo } from 'react'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { quantities } from '../quantities.ts'
import { timeOfStep } from '../times.ts'

interface Row {
  at: number
  time: string
  started: boolean
  values: (number | null)[]
}

const columns: Column<Row>[] = [
  { id: 'time', header: 'Time', value: ({ at }) => at, cell: ({ time }) => <span className="num">{time}</span> },
  ...quantities.map(
    ({ title, format }, n): Column<Row> => ({
      id: title,
      header: title,
      value: ({ values }) => values[n],
      cell: ({ values }) => <span className="num">{values[n] === null ? '' : format(values[n]!)}</span>,
      align: 'end',
    }),
  ),
  { id: 'event', header: 'Event', cell: ({ started }) => (started ? 'Node-RED started' : ''), wide: true },
]

/** What the charts show, in figures, newest first; steps in which nothing was measured are left out. */
export function MetricsTable({ metrics }: { metrics: InstanceMetrics }) {
  const rows = useMemo(() => rowsOf(metrics), [metrics])
  return (
    <Table
      label="Measurements"
      rows={rows}
      columns={columns}
      rowId={({ at }) => String(at)}
      empty={
        <EmptyState icon={<ChartLine />} title="No measurements in this time">
          An instance is measured every 15 seconds while it runs.
        </EmptyState>
      }
    />
  )
}

function rowsOf({ from, step, series, starts }: InstanceMetrics): Row[] {
  const length = series.cpu.length
  return Array.from({ length }, (_, index) => ({
    at: from + index * step * 1_000,
    time: timeOfStep({ from, step, length }, index),
    started: starts.includes(from + index * step * 1_000),
    values: quantities.map(({ key }) => series[key][index] ?? null),
  }))
    .filter(({ values }) => values.some((value) => value !== null))
    .reverse()
}
