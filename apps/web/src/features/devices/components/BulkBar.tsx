import { Link2, Trash2, Unlink } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { plural } from '../../../lib/plural.ts'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { SelectionBar } from '../../../ui/Selection.tsx'
import { useAssignDevices, useDeleteDevices } from '../devices.bulk.ts'
import { AssignManyDialog } from './AssignDialog.tsx'

/** Actions on the selected devices; nothing while none is selected. */
export function BulkBar(props: { teamId: string; ofTeam: boolean; ids: string[]; onClear: () => void }) {
  const { teamId, ofTeam, ids, onClear } = props
  const [assigning, setAssigning] = useState(false)
  const { mutate: assign, isPending: removing } = useAssignDevices(teamId)
  const { mutate: remove, isPending: deleting } = useDeleteDevices(teamId)
  const mayDelete = useCan('device:delete')
  const many = plural(ids.length, 'device')
  const askRemoval = async () => {
    const sure = await confirm({
      title: 'Remove from Application Instance',
      message: `The flows of ${many} stop.`,
      confirmLabel: 'Remove',
      danger: true,
    })
    if (sure) assign({ ids, instance: null }, { onSuccess: onClear })
  }
  const askDeletion = async () => {
    const sure = await confirm({
      title: `Delete ${many}`,
      message: 'The credentials stop working and the flows stop. This cannot be undone.',
      confirmLabel: 'Delete',
      danger: true,
      typed: many,
    })
    if (sure) remove(ids, { onSuccess: onClear })
  }
  return (
    <SelectionBar label="Selected devices" count={ids.length} onClear={onClear}>
      {ofTeam && (
        <Button size="sm" icon={<Link2 size={14} aria-hidden />} onClick={() => setAssigning(true)}>
          Add to Instance
        </Button>
      )}
      <Button size="sm" icon={<Unlink size={14} aria-hidden />} loading={removing} onClick={() => void askRemoval()}>
        Remove from Instance
      </Button>
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
      {assigning && (
        <AssignManyDialog
          teamId={teamId}
          ids={ids}
          onDone={() => {
            setAssigning(false)
            onClear()
          }}
          onClose={() => setAssigning(false)}
        />
      )}
    </SelectionBar>
  )
}
