import type { Snapshot } from '@app/contract'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Download, RotateCcw } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { nodesOf } from '../../../ui/flow/flow-drawing.ts'
import { Loading } from '../../../ui/Loading.tsx'
import { EntryHeader } from '../../../ui/PageHeader.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Compared, ComparedWith } from '../../deployments/index.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { RollbackDialog } from '../components/RollbackDialog.tsx'
import { useSnapshot, useSnapshotChanges, useSnapshotFlows, useSnapshots } from '../snapshots.queries.ts'
import { useSnapshotActions } from '../use-snapshot-actions.tsx'

/** One snapshot: its flows as a drawing, and its differences from the current flows or another snapshot. */
export function SnapshotPage() {
  const instance = useCurrentInstance()
  const { snapshotId } = useParams({ from: '/platform/instance/$instanceId/snapshots/$snapshotId' })
  const { data: snapshot, error, refetch } = useSnapshot(instance.id, snapshotId)
  usePageTitle('Snapshot', snapshot?.name, instance.name)
  const navigate = useNavigate()
  const leave = useCallback(
    () => void navigate({ to: '/instance/$instanceId/snapshots', params: { instanceId: instance.id } }),
    [navigate, instance.id],
  )
  const { actions, rollingBack, endRollback } = useSnapshotActions(instance, leave)
  if (error && !snapshot) return <Failure error={error} onRetry={() => void refetch()} />
  if (!snapshot) return <Loading message="Loading Snapshot..." />
  return (
    <div className="flex flex-col gap-4">
      <EntryHeader list={{ to: `/instance/${instance.id}/snapshots`, label: 'Snapshots' }} title={snapshot.name}>
        {actions.download && (
          <Button icon={<Download size={14} aria-hidden />} onClick={() => actions.download?.(snapshot)}>
            Download package.json
          </Button>
        )}
        {actions.rollback && (
          <Button
            variant="primary"
            icon={<RotateCcw size={14} aria-hidden />}
            onClick={() => actions.rollback?.(snapshot)}
          >
            Rollback
          </Button>
        )}
      </EntryHeader>
      <Contents snapshot={snapshot} />
      {rollingBack && <RollbackDialog snapshot={rollingBack} onClose={endRollback} />}
    </div>
  )
}

const none: never[] = []
/** Stands for the current flows where the id of another snapshot could stand. */
const now = 'now'

function Contents({ snapshot }: { snapshot: Snapshot }) {
  const { id: instanceId } = useCurrentInstance()
  // In the address, so that a comparison can be sent to others.
  const [chosen, setFrom] = useQueryText('from')
  const from = chosen === '' ? now : chosen
  const flows = useSnapshotFlows(instanceId, snapshot.id)
  const changes = useSnapshotChanges(instanceId, snapshot.id, from === now ? undefined : from)
  const others = useSnapshots(instanceId).data?.pages.flatMap(({ snapshots }) => snapshots) ?? []
  const { removed = none, was = none } = changes.data ?? {}
  const drawing = useMemo(() => flows.data && [...nodesOf(flows.data), ...removed], [flows.data, removed])
  const { modules = {} } = snapshot
  return (
    <Compared
      flows={{ data: drawing && { drawing, was }, error: flows.error, refetch: flows.refetch }}
      changes={changes}
      first="after"
      title="Compared with"
      end={
        <ComparedWith
          value={from}
          onChange={(id) => setFrom(id === now ? '' : id)}
          options={[
            { value: now, label: 'Current flows' },
            ...others.filter(({ id }) => id !== snapshot.id).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          link={location.href}
        />
      }
      aside={
        <Card title="Details">
          <DetailList
            items={[
              { label: 'Description', value: snapshot.description },
              { label: 'Created By', value: snapshot.user?.name ?? 'Platform' },
              { label: 'Date Created', value: <RelativeTime time={snapshot.createdAt} /> },
              {
                label: 'Modules',
                value: (
                  <ul className="mono text-md break-words">
                    {Object.entries(modules).map(([name, version]) => (
                      <li key={name}>
                        {name} {version}
                      </li>
                    ))}
                  </ul>
                ),
              },
            ]}
          />
        </Card>
      }
    />
  )
}
