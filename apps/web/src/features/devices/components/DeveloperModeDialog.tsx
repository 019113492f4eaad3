import type { Device } from '@app/contract'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { otherMode, useSetMode } from '../developer.actions.ts'
import { DeviceSnapshotDialog } from './DeviceSnapshotDialog.tsx'

/** Explains developer mode and switches it on, or off once the flows on the device are in a snapshot or given up. */
export function DeveloperModeDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { name, mode, hasDeveloperMode, agentVersion, instance, targetSnapshot } = device
  const [isKeeping, setKeeping] = useState(false)
  const { mutate: setMode, isPending } = useSetMode(device)
  const maySnapshot = useCan('project:snapshot:create') && instance !== undefined
  const bold = <b className="font-semibold text-ink">{name}</b>
  if (isKeeping) return <DeviceSnapshotDialog device={device} onClose={() => setKeeping(false)} />
  if (mode === 'autonomous' && !hasDeveloperMode)
    return (
      <Dialog
        open
        onClose={onClose}
        title="Developer Mode Unavailable"
        description={
          agentVersion === null
            ? 'The agent of this device has not called yet.'
            : `The agent of this device, ${agentVersion}, is too old. Update it to release 0.8.0 or newer.`
        }
        footer={<Button onClick={onClose}>Cancel</Button>}
      />
    )
  const isOn = mode === 'developer'
  return (
    <Dialog
      open
      onClose={onClose}
      title={isOn ? 'Disable Developer Mode' : 'Enable Developer Mode'}
      description={
        isOn ? (
          <>
            {bold}{' '}
            {targetSnapshot
              ? `goes back to its target snapshot, ${targetSnapshot.name}`
              : 'has no target snapshot to go back to'}
            . Changes made on the device that are in no snapshot are lost.
          </>
        ) : (
          <>
            {bold} keeps its flows until you disable developer mode, and new target snapshots wait. You can create
            snapshots from the device.
          </>
        )
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {isOn && maySnapshot && <Button onClick={() => setKeeping(true)}>Create Snapshot First</Button>}
          <Button
            variant={isOn ? 'danger' : 'primary'}
            loading={isPending}
            onClick={() => setMode(otherMode[mode], { onSuccess: onClose })}
          >
            {isOn ? 'Disable' : 'Enable'}
          </Button>
        </>
      }
    />
  )
}
