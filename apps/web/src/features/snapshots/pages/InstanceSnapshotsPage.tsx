import { Camera, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { Table } from '../../../ui/Table.tsx'
import { DeploymentNotice, useLastDeployment } from '../../deployments/index.ts'
import { TargetDialog } from '../../devices/index.ts'
import { JobSteps, useCurrentInstance, useJobs } from '../../instances/index.ts'
import { CreateSnapshotDialog } from '../components/CreateSnapshotDialog.tsx'
import { RollbackDialog } from '../components/RollbackDialog.tsx'
import { snapshotColumns } from '../snapshot-columns.tsx'
import { useSnapshots } from '../snapshots.queries.ts'
import { useSnapshotActions } from '../use-snapshot-actions.tsx'

/** The snapshots of an instance: taken, looked at, gone back to, deleted. */
export function InstanceSnapshotsPage() {
  const instance = useCurrentInstance()
  usePageTitle('Snapshots', instance.name)
  const list = useSnapshots(instance.id)
  const { data: deployment } = useLastDeployment(instance.id)
  const { data: jobs } = useJobs(instance.id)
  const [creating, setCreating] = useState(false)
  const { actions, rollingBack, endRollback, targeting, endTargeting } = useSnapshotActions(instance)
  const columns = useMemo(() => snapshotColumns(actions), [actions])
  const rows = useMemo(() => list.data?.pages.flatMap(({ snapshots }) => snapshots), [list.data])
  const job = jobs?.jobs[0]
  const create = useCan('project:snapshot:create') && (
    <Button variant="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setCreating(true)}>
      Create Snapshot
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      {job?.kind.startsWith('deployment.') && !job.endedAt && <JobSteps job={job} />}
      <DeploymentNotice deployment={deployment} />
      <div>
        <SectionTitle
          title="Snapshots"
          note="Restore points you can roll back to."
          action={rows !== undefined && rows.length > 0 && create}
        />
        {list.error && !rows ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} needs="Viewer" />
        ) : (
          <Table
            label="Snapshots"
            rows={rows}
            columns={columns}
            rowId={({ id }) => id}
            rowTo={({ id }) => `/instance/${instance.id}/snapshots/${id}`}
            onLoadMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
            loadingMore={list.isFetchingNextPage}
            empty={
              <EmptyState icon={<Camera />} title="Create your First Snapshot" action={create || undefined}>
                A snapshot keeps flows, credentials, environment variables, modules and settings, so that you can go
                back to them.
              </EmptyState>
            }
          />
        )}
      </div>
      {creating && <CreateSnapshotDialog instanceId={instance.id} onClose={() => setCreating(false)} />}
      {rollingBack && <RollbackDialog snapshot={rollingBack} onClose={endRollback} />}
      {targeting && <TargetDialog instanceId={instance.id} first={targeting} onClose={endTargeting} />}
    </div>
  )
}
