import type { SparkWindow, TeamMetrics } from '@app/contract'
import { sparkWindows } from '@app/contract/constants'
import { ChartLine } from 'lucide-react'
import { useMemo } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQuerySort, useQueryTexts } from '../../../lib/use-query-state.ts'
import { lastOf } from '../../../ui/chart-model.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { Sparkline } from '../../../ui/LineChart.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { Segmented } from '../../../ui/Segmented.tsx'
import { StatusBadge } from '../../../ui/StatusBadge.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useTeam } from '../../teams/index.ts'
import { useTeamMetrics } from '../metrics.queries.ts'
import { quantities } from '../quantities.ts'

type Row = TeamMetrics['instances'][number]

const windows = [
  { value: '1h', label: '1 h' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 days' },
]

const columns: Column<Row>[] = [
  { id: 'name', header: 'Name', value: ({ name }) => name },
  {
    id: 'state',
    header: 'Status',
    value: ({ state }) => state,
    cell: ({ state }) => <StatusBadge state={state} />,
    width: 'w-32',
  },
  ...quantities.map(
    ({ key, title, format, least }): Column<Row> => ({
      id: key,
      header: title,
      value: ({ series }) => lastOf(series[key]),
      cell: ({ name, series }) => {
        const last = lastOf(series[key])
        const text = last === null ? 'Not measured' : format(last)
        return (
          <span className="flex w-full items-center gap-3 max-sm:w-48">
            <span className="min-w-0 flex-1">
              <Sparkline values={series[key]} least={least} label={`${title} of ${name}, at last ${text}`} />
            </span>
            <span className="num w-18 flex-none text-right whitespace-nowrap max-sm:self-baseline">
              {/* A space keeps the line, which the name of the column stands on. */}
              {last === null ? '\u00A0' : text}
            </span>
          </span>
        )
      },
      width: 'w-46',
      spare: key === 'delay' || key === 'requests',
    }),
  ),
]

/** Usage of all instances of a team, side by side. */
export function TeamPerformancePage() {
  const team = useTeam()
  usePageTitle('Performance', team.name)
  const [texts, setTexts] = useQueryTexts(['q', 'window'])
  const [sort, setSort] = useQuerySort()
  const window: SparkWindow = texts.window in sparkWindows ? (texts.window as SparkWindow) : '1h'
  const metrics = useTeamMetrics(team.id, window)
  const rows = useMemo(() => metrics.data?.pages.flatMap(({ instances }) => instances), [metrics.data])
  if (metrics.error && !rows) return <PageFailure error={metrics.error} onRetry={() => void metrics.refetch()} />
  return (
    <>
      <PageHeader title="Performance" description="Usage of all instances in this team." />
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <SearchInput
            label="Search Instances..."
            value={texts.q}
            onChange={(q) => setTexts({ q })}
            className="min-w-0 flex-[1_1_280px] sm:w-70 sm:flex-none"
          />
          <Segmented label="Time" value={window} options={windows} onChange={(value) => setTexts({ window: value })} />
        </div>
        <Table
          label="Instances"
          rows={rows}
          columns={columns}
          rowId={({ id }) => id}
          rowTo={({ id }) => `/instance/${id}/performance`}
          sort={sort}
          onSort={setSort}
          search={texts.q}
          onClearSearch={() => setTexts({ q: '' })}
          onLoadMore={metrics.hasNextPage ? () => void metrics.fetchNextPage() : undefined}
          loadingMore={metrics.isFetchingNextPage}
          empty={
            <EmptyState icon={<ChartLine />} title="This team has no instances yet">
              Create an instance to see its usage here.
            </EmptyState>
          }
        />
      </div>
    </>
  )
}
