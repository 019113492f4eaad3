import { Navigate, Outlet } from '@tanstack/react-router'
import { useCan } from '../../../lib/can.ts'
import { SideTabs } from '../../../ui/SideTabs.tsx'
import { useVisiting } from '../../teams/index.ts'
import { useCurrentDevice } from '../device-context.ts'

/** Around the pages of a device's settings, which are for people of its team [DSET-02] [DSET-03] [DSET-04]. */
export function DeviceSettingsLayout() {
  const { id } = useCurrentDevice()
  const mayEdit = useCan('device:edit')
  if (useVisiting()) return <Navigate to="/device/$deviceId/overview" params={{ deviceId: id }} replace />
  const base = `/device/${id}/settings`
  return (
    <SideTabs
      label="Device settings"
      items={[
        { to: `${base}/general`, label: 'General' },
        { to: `${base}/environment`, label: 'Environment' },
        ...(mayEdit ? [{ to: `${base}/danger`, label: 'Danger' }] : []),
      ]}
    >
      <Outlet />
    </SideTabs>
  )
}
