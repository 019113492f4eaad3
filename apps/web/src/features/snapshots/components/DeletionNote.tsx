import type { Snapshot } from '@app/contract'
import { useTarget } from '../snapshots.queries.ts'

/** Says what becomes of a snapshot that is deleted, and of devices whose target it is. */
export function DeletionNote({
  snapshot,
  instanceId,
  hasDevices,
}: {
  snapshot: Snapshot
  instanceId: string
  hasDevices: boolean
}) {
  return (
    <>
      <b>{snapshot.name}</b> is deleted permanently. The instance is not changed.
      {hasDevices && <OfDevices snapshotId={snapshot.id} instanceId={instanceId} />}
    </>
  )
}

function OfDevices({ snapshotId, instanceId }: { snapshotId: string; instanceId: string }) {
  const { data: target, isError } = useTarget(instanceId)
  if (isError) return ' If it is the target snapshot of devices, their flows end.'
  if (target !== snapshotId) return null
  return (
    <b> It is the target snapshot of the devices of this instance. Their flows end, and nothing runs in their place.</b>
  )
}
