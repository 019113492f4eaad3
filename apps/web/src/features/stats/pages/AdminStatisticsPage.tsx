import { useQuery } from '@tanstack/react-query'
import { ChartLine } from 'lucide-react'
import { api } from '../../../lib/api.ts'
import { Failure } from '../../../lib/api-failure.tsx'
import { keys } from '../../../lib/api-keys.ts'
import { formatExact } from '../../../lib/dates.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { Segmented } from '../../../ui/Segmented.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { CountChart } from '../components/CountChart.tsx'
import { statsQuery } from '../../users/index.ts'
import { byState, totals } from '../statistics.ts'

const ranges = [
  { value: 'week', label: '7 days' },
  { value: 'quarter', label: '90 days' },
  { value: 'years', label: '2 years' },
] as const
type Range = (typeof ranges)[number]['value']

/** Number of users, teams and instances over time. */
export function AdminStatisticsPage() {
  usePageTitle('Statistics', 'Admin')
  const [text, setRange] = useQueryText('range')
  const range = ranges.find(({ value }) => value === text)?.value ?? 'week'
  const choose = (next: string) => setRange(next === 'week' ? '' : next)
  return (
    <>
      <PageHeader
        title="Statistics"
        description="Usage over time, sampled hourly."
        actions={<Segmented label="Time" value={range} onChange={choose} options={[...ranges]} />}
      />
      <Now />
      <Charts range={range} />
    </>
  )
}

/** The numbers of this moment, which the charts have only at the next count. */
function Now() {
  const { data } = useQuery(statsQuery)
  const items = [
    ['Users', data?.userCount],
    ['Teams', data?.teamCount],
    ['Instances', data?.instanceCount],
    ['Devices', data?.deviceCount],
  ] as const
  return (
    <dl aria-label="Now" className="mb-5 grid grid-cols-2 gap-4 sm:grid-cols-4">
      {items.map(([name, count]) => (
        <div key={name} className="rounded-lg border bg-panel px-4 py-3">
          <dt className="text-md text-muted">{name} now</dt>
          <dd className="num text-xl font-semibold">{count === undefined ? '...' : count.toLocaleString()}</dd>
        </div>
      ))}
    </dl>
  )
}

function Charts({ range }: { range: Range }) {
  const { data, error, refetch } = useQuery({
    queryKey: keys.statistics(range),
    queryFn: async () => (await api.call('stats.history', { query: { range } })).points,
  })
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonCard rows={6} />
  if (data.length === 0) {
    return (
      <EmptyState icon={<ChartLine />} title="Nothing counted yet">
        The first count comes within five minutes.
      </EmptyState>
    )
  }
  if (data.length === 1) {
    const next = new Date(Date.parse(data[0]!.at) + 3_600_000)
    return (
      <EmptyState icon={<ChartLine />} title="The charts begin with the second count">
        {`Counted every hour; the next count is at about ${formatExact(next)}.`}
      </EmptyState>
    )
  }
  const times = data.map(({ at }) => Date.parse(at))
  return (
    <div className="flex flex-col gap-5">
      <Card title="Users, teams, instances and devices">
        <CountChart times={times} series={totals(data)} label="Users, teams, instances and devices over time" />
      </Card>
      <Card title="Instances by state">
        <CountChart times={times} series={byState(data)} label="Instances by state over time" />
      </Card>
    </div>
  )
}
