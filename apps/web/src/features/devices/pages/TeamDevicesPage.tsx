import { usePageTitle } from '../../../lib/page-title.ts'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { useTeam } from '../../teams/index.ts'
import { DeviceBrowser } from '../components/DeviceBrowser.tsx'
import { DevicesGate } from '../components/DevicesGate.tsx'

/** Every device of a team [DEV-03]. */
export function TeamDevicesPage() {
  const { id, name } = useTeam()
  usePageTitle('Devices', name)
  return (
    <DevicesGate>
      <PageHeader title="Devices" description="Edge devices running your team's flows." />
      <DeviceBrowser teamId={id} owner={{ team: id }} />
    </DevicesGate>
  )
}
