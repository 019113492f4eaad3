import type { BulkResult, Device } from '@app/contract'
import { Link2, RotateCw, Tag as TagIcon, Trash2, Unlink } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { plural } from '../../../lib/plural.ts'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { SelectionBar } from '../../../ui/Selection.tsx'
import { useAssignDevices, useDeleteDevices, useRestartDevices } from '../devices.bulk.ts'
import { AssignManyDialog } from './AssignDialog.tsx'
import { AddTagDialog, RemoveTagDialog } from './TagDialogs.tsx'

/** Actions on the selected devices; nothing while none is selected. `onKeep`: those that an action could not be done to. */
export function BulkBar(props: {
  teamId: string
  ofTeam: boolean
  rows: Device[]
  onClear: () => void
  onKeep: (ids: string[]) => void
}) {
  const { teamId, ofTeam, rows, onClear, onKeep } = props
  const ids = rows.map(({ id }) => id)
  const [open, setOpen] = useState<'assign' | 'add tag' | 'remove tag'>()
  const { mutate: assign, isPending: removing } = useAssignDevices(teamId)
  const { mutate: remove, isPending: deleting } = useDeleteDevices(teamId)
  const { mutate: restart, isPending: restarting, asked } = useRestartDevices(teamId)
  const [mayDelete, mayRestart] = [useCan('device:delete'), useCan('device:change-status')]
  const many = plural(ids.length, 'device')
  const close = () => setOpen(undefined)
  const finish = (result: BulkResult | undefined) => {
    if (!result) return
    close()
    onKeep(result.refused.map(({ id }) => id))
  }
  const askRemoval = async () => {
    const sure = await confirm({
      title: 'Remove from Application Instance',
      message: `The flows of ${many} stop.`,
      confirmLabel: 'Remove',
      danger: true,
    })
    if (sure) assign({ ids, instance: null }, { onSuccess: finish })
  }
  const askRestart = async () => {
    const sure = await confirm({
      title: `Restart ${many}`,
      message: 'All of their flows stop and start anew at the same time.',
      confirmLabel: 'Restart',
    })
    if (sure) restart(ids, { onSuccess: finish })
  }
  const askDeletion = async () => {
    const sure = await confirm({
      title: `Delete ${many}`,
      message: 'The credentials stop working and the flows stop. This cannot be undone.',
      confirmLabel: 'Delete',
      danger: true,
      typed: many,
    })
    if (sure) remove(ids, { onSuccess: finish })
  }
  return (
    <SelectionBar label="Selected devices" count={ids.length} onClear={onClear}>
      {ofTeam && (
        <Button size="sm" icon={<Link2 size={14} aria-hidden />} onClick={() => setOpen('assign')}>
          Add to Instance
        </Button>
      )}
      <Button size="sm" icon={<Unlink size={14} aria-hidden />} loading={removing} onClick={() => void askRemoval()}>
        Remove from Instance
      </Button>
      {mayRestart && (
        <Button
          size="sm"
          icon={<RotateCw size={14} aria-hidden />}
          loading={restarting}
          onClick={() => void askRestart()}
        >
          {restarting && asked > 0 ? `Restart: ${asked} of ${ids.length}` : 'Restart'}
        </Button>
      )}
      <Button size="sm" icon={<TagIcon size={14} aria-hidden />} onClick={() => setOpen('add tag')}>
        Add Tag
      </Button>
      {rows.some(({ tags }) => tags.length > 0) && (
        <Button size="sm" icon={<TagIcon size={14} aria-hidden />} onClick={() => setOpen('remove tag')}>
          Remove Tag
        </Button>
      )}
      {mayDelete && (
        <Button
          size="sm"
          variant="danger"
          icon={<Trash2 size={14} aria-hidden />}
          loading={deleting}
          onClick={() => void askDeletion()}
        >
          Delete
        </Button>
      )}
      {open === 'assign' && <AssignManyDialog teamId={teamId} ids={ids} onDone={finish} onClose={close} />}
      {open === 'add tag' && <AddTagDialog teamId={teamId} rows={rows} onDone={finish} onClose={close} />}
      {open === 'remove tag' && <RemoveTagDialog teamId={teamId} rows={rows} onDone={finish} onClose={close} />}
    </SelectionBar>
  )
}
