import type { Instance, Snapshot } from '@app/contract'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useCan } from '../../lib/can.ts'
import { download } from '../../lib/download.ts'
import { confirm } from '../../ui/confirm.ts'
import { useFeatures } from '../teams/index.ts'
import { DeletionNote } from './components/DeletionNote.tsx'
import { packageOf } from './package-file.ts'
import type { SnapshotActions } from './snapshot-columns.tsx'
import { useDeleteSnapshot } from './snapshots.queries.ts'

/** The actions of this person on snapshots of an instance, and the snapshot chosen for a rollback or as the target of devices. */
export function useSnapshotActions(instance: Instance, onDeleted?: () => void) {
  const navigate = useNavigate()
  const [rollingBack, setRollingBack] = useState<Snapshot>()
  const [targeting, setTargeting] = useState<Snapshot>()
  const { mutate: remove } = useDeleteSnapshot(instance.id)
  const hasDevices = useFeatures(instance.team.id)?.['devices'] === true
  const [mayRollBack, maySetTarget, mayRead, mayDelete] = [
    useCan('project:snapshot:rollback'),
    useCan('project:snapshot:set-target'),
    useCan('project:snapshot:read'),
    useCan('project:snapshot:delete'),
  ]
  const { id: instanceId, safeName } = instance
  const actions = useMemo<SnapshotActions>(
    () => ({
      view: ({ id: snapshotId }) =>
        void navigate({ to: '/instance/$instanceId/snapshots/$snapshotId', params: { instanceId, snapshotId } }),
      ...(mayRollBack ? { rollback: setRollingBack } : {}),
      ...(maySetTarget && hasDevices ? { target: setTargeting } : {}),
      ...(mayRead
        ? { download: (one: Snapshot) => download('package.json', 'application/json', packageOf(one, { safeName })) }
        : {}),
      ...(mayDelete
        ? {
            remove: (one: Snapshot) =>
              void confirm({
                title: 'Delete Snapshot',
                message: <DeletionNote snapshot={one} instanceId={instanceId} hasDevices={hasDevices} />,
                confirmLabel: 'Delete',
                danger: true,
              }).then((sure) => sure && remove(one.id, onDeleted ? { onSuccess: onDeleted } : {})),
          }
        : {}),
    }),
    [navigate, instanceId, safeName, mayRollBack, maySetTarget, hasDevices, mayRead, mayDelete, remove, onDeleted],
  )
  return {
    actions,
    rollingBack,
    endRollback: () => setRollingBack(undefined),
    targeting,
    endTargeting: () => setTargeting(undefined),
  }
}
