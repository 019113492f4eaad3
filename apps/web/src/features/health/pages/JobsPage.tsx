import type { AdminJob } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { toast } from '../../../ui/toast.ts'
import { OperationsFrame } from '../components/OperationsFrame.tsx'
import { jobsQuery, useJobAction } from '../operations.queries.ts'

/** Jobs that are open or have failed, and what can be done about them. */
export function JobsPage() {
  const { data: jobs, error, refetch } = useQuery(jobsQuery)
  const { mutateAsync: retry } = useJobAction('retry')
  const { mutateAsync: cancel } = useJobAction('cancel')
  const columns = useMemo(
    () =>
      columnsFor(
        (job) =>
          void retry(job.id).then(
            () => toast.success('Retrying the job.'),
            () => undefined,
          ),
        (job) => void cancelOne(job, cancel),
      ),
    [retry, cancel],
  )
  return (
    <OperationsFrame title="Jobs" description="Running and failed background jobs.">
      {error && !jobs ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Jobs"
          rows={jobs}
          columns={columns}
          rowId={({ id }) => id}
          empty={
            <EmptyState icon={<ListChecks />} title="No running or failed jobs">
              Jobs are background tasks, such as starting an instance or making a backup. Finished jobs are not listed.
            </EmptyState>
          }
        />
      )}
    </OperationsFrame>
  )
}

async function cancelOne(job: AdminJob, cancel: (id: string) => Promise<unknown>): Promise<void> {
  const sure = await confirm({
    title: 'Cancel Job',
    message: (
      <>
        <b>{titleOf(job)}</b> is marked as failed. Work that it has already started on the machine runs until it ends by
        itself.
      </>
    ),
    confirmLabel: 'Cancel Job',
    cancelLabel: 'Keep Job',
    danger: true,
  })
  if (!sure) return
  await cancel(job.id)
  toast.success('The job was cancelled.')
}

const titleOf = ({ title, name }: AdminJob) => (name ? `${title} ${name}` : title)
const stepOf = ({ steps }: AdminJob) => steps.find(({ state }) => state === 'running' || state === 'failed')

function State({ job }: { job: AdminJob }) {
  if (job.stuck) return <Badge tone="bad">Stuck</Badge>
  if (job.state === 'failed') return <Badge tone="bad">Failed</Badge>
  return job.state === 'running' ? (
    <Badge tone="busy" turning>
      Running
    </Badge>
  ) : (
    <Badge>Waiting</Badge>
  )
}

function columnsFor(onRetry: (job: AdminJob) => void, onCancel: (job: AdminJob) => void): Column<AdminJob>[] {
  return [
    {
      id: 'job',
      header: 'Job',
      value: titleOf,
      cell: (job) => (
        <div className="min-w-0">
          <b className="font-medium">{job.title}</b> {job.name && <span className="text-muted">{job.name}</span>}
          <div className="text-sm break-words whitespace-normal text-muted">
            {stepOf(job)?.name}
            {(job.error ?? stepOf(job)?.text) ? `: ${job.error ?? stepOf(job)?.text}` : ''}
          </div>
        </div>
      ),
    },
    { id: 'state', header: 'State', value: ({ state }) => state, cell: (job) => <State job={job} />, width: 'w-32' },
    {
      id: 'asked',
      header: 'Started',
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <RelativeTime time={createdAt} />,
      width: 'w-36',
    },
    {
      id: 'actions',
      header: 'Actions',
      align: 'end',
      width: 'w-32',
      cell: (job) => (
        <>
          {job.canRetry && (
            <Button size="sm" aria-label={`Try again: ${titleOf(job)}`} onClick={() => onRetry(job)}>
              Try again
            </Button>
          )}
          {job.canCancel && (
            <Button size="sm" variant="danger" aria-label={`Cancel: ${titleOf(job)}`} onClick={() => onCancel(job)}>
              Cancel
            </Button>
          )}
        </>
      ),
    },
  ]
}
