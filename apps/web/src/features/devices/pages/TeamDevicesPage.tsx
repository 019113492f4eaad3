import { usePageTitle } from '../../../lib/page-title.ts'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { useTeam } from '../../teams/index.ts'
import { DeviceBrowser } from '../components/DeviceBrowser.tsx'
import { RequireDevices } from '../components/RequireDevices.tsx'

/** Every device of a team [DEV-03]. */
export function TeamDevicesPage() {
  const { id, name } = useTeam()
  usePageTitle('Devices', name)
  return (
    <RequireDevices teamId={id}>
      <PageHeader title="Devices" description="Edge devices running your team's flows." />
      <DeviceBrowser teamId={id} owner={{ team: id }} />
    </RequireDevices>
  )
}
