import { usePageTitle } from '../../../lib/page-title.ts'
import { DeviceLog } from '../components/DeviceLog.tsx'
import { useCurrentDevice } from '../device-context.ts'

/** The live log of a device. */
export function DeviceLogsPage() {
  const device = useCurrentDevice()
  usePageTitle('Logs', device.name)
  return <DeviceLog device={device} />
}
