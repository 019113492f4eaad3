import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { useSetTarget, useSnapshots } from '../../snapshots/index.ts'
import { useTarget } from '../devices.queries.ts'

/** Chooses the snapshot that the devices of an instance run [DEV-45] [DEV-46]. */
export function TargetDialog({ instanceId, onClose }: { instanceId: string; onClose: () => void }) {
  const { data: target } = useTarget(instanceId)
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useSnapshots(instanceId)
  const { mutate: setTarget, isPending } = useSetTarget(instanceId)
  const [chosen, setChosen] = useState<string>()
  const snapshots = data?.pages.flatMap((page) => page.snapshots)
  const value = chosen ?? target ?? ''
  return (
    <Dialog
      open
      onClose={onClose}
      title="Target Snapshot"
      description="Replaces the flows on every device assigned to this instance with those from the snapshot, and restarts them."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={target === undefined || value === '' || value === target}
            loading={isPending}
            onClick={() => setTarget(value, { onSuccess: onClose })}
          >
            Set Target
          </Button>
        </>
      }
    >
      <FormRow
        label="Snapshot"
        help={snapshots?.length === 0 ? 'The instance has no snapshots yet. Create one first.' : undefined}
      >
        <Combobox
          value={value}
          onChange={setChosen}
          options={(snapshots ?? []).map(({ id, name }) => ({
            value: id,
            label: name,
            ...(id === target ? { note: '(active)' } : {}),
          }))}
          placeholder="Choose a snapshot..."
          searchLabel="Search Snapshots..."
          emptyText="No such snapshot."
        />
      </FormRow>
      {hasNextPage && (
        <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load older snapshots
        </Button>
      )}
    </Dialog>
  )
}
