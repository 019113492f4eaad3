import { Target } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { useCurrentInstance } from '../../instances/index.ts'
import { DeviceBrowser } from '../components/DeviceBrowser.tsx'
import { RequireDevices } from '../components/RequireDevices.tsx'
import { TargetDialog } from '../components/TargetDialog.tsx'

/** The devices that run the target snapshot of an instance, and which one that is [DEV-04]. */
export function InstanceDevicesPage() {
  const { id, name, team } = useCurrentInstance()
  usePageTitle('Remote Instances', name)
  const [choosing, setChoosing] = useState(false)
  const target = useCan('project:snapshot:set-target') && (
    <Button icon={<Target size={16} aria-hidden />} onClick={() => setChoosing(true)}>
      Target Snapshot
    </Button>
  )
  return (
    <RequireDevices teamId={team.id}>
      <SectionTitle title="Remote Instances" note="The devices that run the target snapshot of this instance." />
      <DeviceBrowser teamId={team.id} owner={{ instance: id }} tools={target} />
      {choosing && <TargetDialog instanceId={id} onClose={() => setChoosing(false)} />}
    </RequireDevices>
  )
}
