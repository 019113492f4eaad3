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
  /** For each quantity what each process had. */
  values: (number | null)[][]
}

const columns: Column<Row>[] = [
  { id: 'time', header: 'Time', value: ({ at }) => at, cell: ({ time }) => <span className="num">{time}</span> },
  ...quantities.map(
    ({ title, format }, n): Column<Row> => ({
      id: title,
      header: title,
      value: ({ values }) => values[n]?.[0],
      cell: ({ values }) => <span className="num">{textOf(values[n] ?? [], format)}</span>,
      align: 'end',
    }),
  ),
  { id: 'event', header: 'Event', cell: ({ started }) => (started ? 'Node-RED started' : ''), wide: true },
]

/** For several processes, one value after the other in the order of the charts. */
function textOf(values: readonly (number | null)[], format: (value: number) => string): string {
  if (values.every((value) => value === null)) return ''
  return values.map((value) => (value === null ? '–' : format(value))).join(' / ')
}

/** The figures of the charts, newest first, without the steps in which nothing was measured. */
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

function rowsOf({ from, step, series, starts, replicas }: InstanceMetrics): Row[] {
  const all = replicas ? replicas.map((one) => one.series) : [series]
  const length = series.cpu.length
  return Array.from({ length }, (_, index) => ({
    at: from + index * step * 1_000,
    time: timeOfStep({ from, step, length }, index),
    started: starts.includes(from + index * step * 1_000),
    values: quantities.map(({ key }) => all.map((one) => one[key][index] ?? null)),
  }))
    .filter(({ values }) => values.flat().some((value) => value !== null))
    .reverse()
}
