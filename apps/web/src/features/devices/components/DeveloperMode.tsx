import type { Device } from '@app/contract'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DeviceSnapshotDialog } from './DeviceSnapshotDialog.tsx'

/** Where a device stands while people change its flows; nothing outside developer mode. */
export function DeveloperMode({ device }: { device: Device }) {
  const [isOpen, setOpen] = useState(false)
  const maySnapshot = useCan('project:snapshot:create')
  if (device.mode !== 'developer') return null
  const isRunning = device.status === 'running'
  return (
    <Card
      title="Developer Mode"
      padded
      end={
        maySnapshot &&
        device.instance && (
          <Button disabled={!isRunning} onClick={() => setOpen(true)}>
            Create Snapshot
          </Button>
        )
      }
    >
      <p className="text-muted">
        {isRunning
          ? 'The device keeps its flows. New target snapshots wait until developer mode is disabled.'
          : 'The device must be in "running" state to create a snapshot from it.'}
      </p>
      {isOpen && <DeviceSnapshotDialog device={device} onClose={() => setOpen(false)} />}
    </Card>
  )
}
