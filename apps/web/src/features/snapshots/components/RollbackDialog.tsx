import type { Snapshot } from '@app/contract'
import { Failure } from '../../../lib/api-failure.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import { useCurrentInstance } from '../../instances/index.ts'
import { useRollback, useSnapshotChanges } from '../snapshots.queries.ts'
import { DifferenceList } from './DifferenceList.tsx'

/** Shows what a rollback changes before it is asked for. */
export function RollbackDialog({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const instance = useCurrentInstance()
  const changes = useSnapshotChanges(instance.id, snapshot.id)
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
          <Button
            variant="primary"
            disabled={!changes.data}
            loading={isPending}
            onClick={() => rollback(snapshot, { onSettled: onClose })}
          >
            Rollback
          </Button>
        </>
      }
    >
      <div
        role="group"
        aria-label="What changes"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="max-h-[50dvh] overflow-y-auto"
      >
        {changes.data ? (
          <DifferenceList difference={changes.data} />
        ) : changes.error ? (
          <Failure error={changes.error} onRetry={() => void changes.refetch()} />
        ) : (
          <SkeletonText />
        )}
      </div>
    </Dialog>
  )
}
