import { useCreateSnapshot } from '../snapshots.queries.ts'
import { SnapshotDialog } from './SnapshotDialog.tsx'

/** Names a new snapshot of what the instance holds now. */
export function CreateSnapshotDialog({ instanceId, onClose }: { instanceId: string; onClose: () => void }) {
  const { mutateAsync: create } = useCreateSnapshot(instanceId)
  return (
    <SnapshotDialog
      description="It keeps the flows, credentials, environment variables, modules and settings as they are now."
      placeholder="Before the new oven"
      create={({ name, description }) => create({ name, description })}
      failed="Failed to create snapshot of instance."
      onClose={onClose}
    />
  )
}
