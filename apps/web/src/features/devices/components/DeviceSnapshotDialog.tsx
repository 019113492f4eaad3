import type { Device } from '@app/contract'
import { SnapshotDialog } from '../../snapshots/index.ts'
import { useSnapshotDevice } from '../developer.actions.ts'

/** Names a snapshot of the flows, credentials and modules on a device, in the list of its instance [DMODE-12]. */
export function DeviceSnapshotDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { mutateAsync: create } = useSnapshotDevice(device)
  return (
    <SnapshotDialog
      description={
        <>
          The flows, credentials and modules on <b className="font-semibold text-ink">{device.name}</b>, as a snapshot
          of <b className="font-semibold text-ink">{device.instance?.name}</b>.
        </>
      }
      placeholder="Tuned at the oven"
      option={{
        label: 'Set as Target',
        help: 'All devices of the instance then run it, except those in developer mode.',
      }}
      create={({ option: setAsTarget, ...values }) => create({ ...values, setAsTarget })}
      failed="Failed to create snapshot from the device."
      onClose={onClose}
    />
  )
}
