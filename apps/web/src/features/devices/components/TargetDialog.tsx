import type { Snapshot } from '@app/contract'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { useSetTarget, useSnapshots, useTarget } from '../../snapshots/index.ts'
import { DeployButton, useInstall } from '../../deployments/index.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { useTargetPreview } from '../devices.queries.ts'
import { TargetForesight } from './TargetForesight.tsx'

interface TargetDialogProps {
  instanceId: string
  /** The snapshot chosen at first, instead of the current target. */
  first?: Snapshot
  onClose: () => void
}

/** Chooses the snapshot that the devices of an instance run [DEV-45] [DEV-46]. */
export function TargetDialog({ instanceId, first, onClose }: TargetDialogProps) {
  const { data: target } = useTarget(instanceId)
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useSnapshots(instanceId)
  const { mutate: setTarget, isPending } = useSetTarget(instanceId)
  const [chosen, setChosen] = useState(first?.id)
  const listed = data?.pages.flatMap((page) => page.snapshots)
  // An older one may not be loaded yet.
  const snapshots = first && listed?.every(({ id }) => id !== first.id) ? [first, ...listed] : listed
  const { name } = useCurrentInstance()
  const value = chosen ?? target ?? ''
  const isOther = value !== '' && target !== undefined && value !== target
  const preview = useTargetPreview(instanceId, isOther ? value : undefined)
  const choice = useInstall(preview.data?.foreseen)
  const snapshot = snapshots?.find(({ id }) => id === value)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Target Snapshot"
      description={
        <>
          Replaces the flows, credentials and modules on every device assigned to <b>{name}</b> with those from the
          snapshot, and restarts them.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <DeployButton
            verb="Set Target"
            choice={choice}
            disabled={!isOther || preview.isPending}
            loading={isPending}
            onClick={() => setTarget({ targetSnapshot: value, ...choice.sent }, { onSuccess: onClose })}
          />
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
      {isOther && snapshot && (
        <TargetForesight snapshot={snapshot} target={target} preview={preview} instance={{ id: instanceId, name }} />
      )}
      {hasNextPage && (
        <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load older snapshots
        </Button>
      )}
    </Dialog>
  )
}
