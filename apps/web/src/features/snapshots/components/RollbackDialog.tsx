import type { Snapshot } from '@app/contract'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Preview } from '../../deployments/index.ts'
import { OpenEditorsNotice, useCurrentInstance } from '../../instances/index.ts'
import { useRollback } from '../snapshots.queries.ts'

/** Shows what a rollback changes before it is asked for. */
export function RollbackDialog({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const instance = useCurrentInstance()
  const { mutate: rollback, isPending } = useRollback(instance.id)
  const runs = instance.meta.state !== 'suspended' && instance.meta.state !== 'stopped'
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`Roll back to “${snapshot.name}”`}
      description={
        <>
          The flows, credentials, environment variables, modules and settings of <b>{instance.name}</b> are replaced
          {runs ? ', and it restarts' : ''}. What is there now is kept as a snapshot, and comes back by itself when the
          instance does not come up.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" loading={isPending} onClick={() => rollback(snapshot, { onSettled: onClose })}>
            Rollback
          </Button>
        </>
      }
    >
      <OpenEditorsNotice instance={instance} />
      <Preview instanceId={instance.id} token={snapshot.id} draft={{ snapshot: snapshot.id }} checked />
    </Dialog>
  )
}
