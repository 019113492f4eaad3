import type { Deployment } from '@app/contract'
import { Rocket } from 'lucide-react'
import { useMemo } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { useCurrentInstance } from '../../instances/index.ts'
import { changesText, titleOf } from '../deployment-text.ts'
import { useDeployments } from '../deployments.queries.ts'
import { endText, endTone } from '../faults-text.ts'

const columns: Column<Deployment>[] = [
  { id: 'what', header: 'Deployment', value: titleOf },
  {
    id: 'state',
    header: 'State',
    value: endText,
    cell: (row) => <Badge tone={endTone(row)}>{endText(row)}</Badge>,
    width: 'w-40',
  },
  { id: 'by', header: 'Who', value: ({ by }) => by, width: 'w-40' },
  {
    id: 'changes',
    header: 'What changed',
    value: ({ changes }) => changesText(changes).join(' '),
    cell: ({ changes }) => changesText(changes).join(' · ') || <span className="text-muted">Nothing</span>,
  },
  {
    id: 'created',
    header: 'When',
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <RelativeTime time={createdAt} />,
    searchable: false,
    width: 'w-40',
  },
]

/** The deployments of an instance: rollbacks, imports, restores and changes of its stack, each with its result. */
export function InstanceDeploymentsPage() {
  const { id, name } = useCurrentInstance()
  usePageTitle('Deployments', name)
  const list = useDeployments(id)
  const rows = useMemo(() => list.data?.pages.flatMap(({ deployments }) => deployments), [list.data])
  if (list.error && !rows) return <PageFailure error={list.error} onRetry={() => void list.refetch()} />
  return (
    <>
      <SectionTitle title="Deployments" note="Rollbacks, imports and pipeline pushes." />
      <Table
        label="Deployments"
        rows={rows}
        columns={columns}
        rowId={(deployment) => deployment.id}
        rowTo={(deployment) => `/instance/${id}/deployments/${deployment.id}`}
        onLoadMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
        loadingMore={list.isFetchingNextPage}
        empty={
          <EmptyState icon={<Rocket />} title="No Deployments Yet">
            A rollback, an import, the restore of a version and a change of the stack are kept here, with what they
            changed and how they ended.
          </EmptyState>
        }
      />
    </>
  )
}
