import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Copyable } from '../../../ui/CopyButton.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { EditDeviceDialog } from '../components/DeviceDialog.tsx'
import { NodeRedSettings } from '../components/NodeRedSettings.tsx'
import { Tags } from '../components/Tags.tsx'
import { TakeoverSetting } from '../../deployments/index.ts'
import { useCurrentDevice } from '../device-context.ts'
import { useSaveDeviceTakeover } from '../devices.actions.ts'

/** Name, type and tags of a device, how its targets take over, and the settings of its Node-RED. */
export function DeviceGeneralPage() {
  const device = useCurrentDevice()
  usePageTitle('Settings', device.name)
  const [editing, setEditing] = useState(false)
  const mayEdit = useCan('device:edit')
  const { mutate, isPending } = useSaveDeviceTakeover(device.id)
  const edit = mayEdit && (
    <Button icon={<Pencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
      Edit Details
    </Button>
  )
  const id = (
    <div className="-my-1">
      <Copyable text={device.id} what="device ID" />
    </div>
  )
  return (
    <div className="flex flex-col gap-4">
      <Card title="Device Details" end={edit}>
        <DetailList
          items={[
            { label: 'Device ID', value: id },
            { label: 'Name', value: device.name },
            { label: 'Type', value: device.type },
            { label: 'Tags', value: device.tags.length > 0 ? <Tags tags={device.tags} /> : undefined },
          ]}
        />
        {editing && <EditDeviceDialog device={device} onClose={() => setEditing(false)} />}
      </Card>
      <TakeoverSetting value={device.takeover} disabled={!mayEdit || isPending} onChange={mutate} />
      <NodeRedSettings device={device} />
    </div>
  )
}
