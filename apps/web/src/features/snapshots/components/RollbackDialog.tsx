import type { Snapshot } from '@app/contract'
import { formatExact } from '../../../lib/dates.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Direction } from '../../../ui/Direction.tsx'
import { DeployButton, Preview, useInstall, usePreview } from '../../deployments/index.ts'
import { OpenEditorsNotice, useCurrentInstance } from '../../instances/index.ts'
import { useRollback } from '../snapshots.queries.ts'

/** Shows what a rollback changes before it is asked for. */
export function RollbackDialog({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const instance = useCurrentInstance()
  const { mutate: rollback, isPending } = useRollback(instance.id)
  const draft = { snapshot: snapshot.id }
  const preview = usePreview(instance.id, snapshot.id, draft)
  const install = useInstall(preview.data?.foreseen)
  const runs = instance.meta.state !== 'suspended' && instance.meta.state !== 'stopped'
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`Roll back to “${snapshot.name}”`}
      description={
        <>
          Replaces the flows, credentials, environment variables, modules and settings of <b>{instance.name}</b> with
          those from the snapshot{runs ? ', and restarts it' : ''}. The current state is kept as a snapshot first, and
          restored if the instance does not start.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <DeployButton
            verb="Rollback"
            choice={install}
            disabled={preview.isPending}
            loading={isPending}
            onClick={() => rollback({ snapshot: snapshot.id, ...install.sent }, { onSettled: onClose })}
          />
        </>
      }
    >
      <Direction
        from={{ name: snapshot.name, note: `Snapshot of ${formatExact(snapshot.createdAt)}` }}
        to={{ name: instance.name, note: 'Current state' }}
      />
      <OpenEditorsNotice instance={instance} />
      <Preview instanceId={instance.id} token={snapshot.id} draft={draft} install={install} checked />
    </Dialog>
  )
}
