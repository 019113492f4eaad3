import { usePageTitle } from '../../../lib/page-title.ts'
import { AuditLog } from '../../audit/index.ts'
import { useCurrentDevice } from '../device-context.ts'

/** The audit log of a device. */
export function DeviceAuditLogPage() {
  const device = useCurrentDevice()
  usePageTitle('Audit Log', device.name)
  return <AuditLog of={{ scope: 'device', id: device.id }} teamId={device.team.id} />
}
