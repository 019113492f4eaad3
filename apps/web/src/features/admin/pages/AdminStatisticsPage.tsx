import { useQuery } from '@tanstack/react-query'
import { ChartLine } from 'lucide-react'
import { api } from '../../../lib/api.ts'
import { Failure } from '../../../lib/api-failure.tsx'
import { keys } from '../../../lib/api-keys.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { Segmented } from '../../../ui/Segmented.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { CountChart } from '../components/CountChart.tsx'
import { byState, totals } from '../statistics.ts'

const ranges = [
  { value: 'week', label: '7 days' },
  { value: 'quarter', label: '90 days' },
  { value: 'years', label: '2 years' },
] as const
type Range = (typeof ranges)[number]['value']

/** How many users, teams and instances there were over time. */
export function AdminStatisticsPage() {
  usePageTitle('Statistics', 'Admin')
  const [text, setRange] = useQueryText('range')
  const range = ranges.find(({ value }) => value === text)?.value ?? 'week'
  const choose = (next: string) => setRange(next === 'week' ? '' : next)
  return (
    <>
      <PageHeader
        title="Statistics"
        description="How much there was of everything, counted every hour."
        actions={<Segmented label="Time" value={range} onChange={choose} options={[...ranges]} />}
      />
      <Charts range={range} />
    </>
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
