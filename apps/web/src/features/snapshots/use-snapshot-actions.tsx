import type { Instance, Snapshot } from '@app/contract'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useCan } from '../../lib/can.ts'
import { confirm } from '../../ui/confirm.ts'
import { download, packageOf } from './package-file.ts'
import type { SnapshotActions } from './snapshot-columns.tsx'
import { useDeleteSnapshot } from './snapshots.queries.ts'

/** What the person may do with the snapshots of an instance, and the one that is about to be rolled back to. */
export function useSnapshotActions(instance: Instance, onDeleted?: () => void) {
  const navigate = useNavigate()
  const [rollingBack, setRollingBack] = useState<Snapshot>()
  const { mutate: remove } = useDeleteSnapshot(instance.id)
  const [mayRollBack, mayRead, mayDelete] = [
    useCan('project:snapshot:rollback'),
    useCan('project:snapshot:read'),
    useCan('project:snapshot:delete'),
  ]
  const { id: instanceId, safeName } = instance
  const actions = useMemo<SnapshotActions>(
    () => ({
      view: ({ id: snapshotId }) =>
        void navigate({ to: '/instance/$instanceId/snapshots/$snapshotId', params: { instanceId, snapshotId } }),
      ...(mayRollBack ? { rollback: setRollingBack } : {}),
      ...(mayRead
        ? { download: (one: Snapshot) => download('package.json', 'application/json', packageOf(one, { safeName })) }
        : {}),
      ...(mayDelete
        ? {
            remove: (one: Snapshot) =>
              void confirm({
                title: 'Delete Snapshot',
                message: (
                  <>
                    <b>{one.name}</b> is gone for good. What the instance holds now stays as it is.
                  </>
                ),
                confirmLabel: 'Delete',
                danger: true,
              }).then((sure) => sure && remove(one.id, onDeleted ? { onSuccess: onDeleted } : {})),
          }
        : {}),
    }),
    [navigate, instanceId, safeName, mayRollBack, mayRead, mayDelete, remove, onDeleted],
  )
  return { actions, rollingBack, endRollback: () => setRollingBack(undefined) }
}
