import { answersOnDevice, type Device } from '@app/contract'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { DeviceSnapshotDialog } from './DeviceSnapshotDialog.tsx'
import { EditorSwitch, tunnelState, useHasEditors } from './EditorAccess.tsx'

/** Where a device stands while people change its flows; nothing outside developer mode. */
export function DeveloperMode({ device }: { device: Device }) {
  const [isOpen, setOpen] = useState(false)
  const maySnapshot = useCan('project:snapshot:create')
  const hasEditors = useHasEditors()
  if (device.mode !== 'developer') return null
  const answers = answersOnDevice(device.status)
  return (
    <Card
      title="Developer Mode"
      end={
        <>
          {maySnapshot && device.instance && (
            <Button disabled={!answers} onClick={() => setOpen(true)}>
              Create Snapshot
            </Button>
          )}
          <EditorSwitch device={device} />
        </>
      }
    >
      <p className="px-4 pt-3 pb-2 text-muted">
        {answers
          ? 'The device keeps its flows. New target snapshots wait until developer mode is disabled.'
          : 'The device must be in "running" state to access the editor'}
      </p>
      {hasEditors && <DetailList items={[{ label: 'Editor Access', value: tunnelState(device.editor) }]} />}
      {isOpen && <DeviceSnapshotDialog device={device} onClose={() => setOpen(false)} />}
    </Card>
  )
}
