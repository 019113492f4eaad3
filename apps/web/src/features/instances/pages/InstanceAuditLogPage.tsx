import { usePageTitle } from '../../../lib/page-title.ts'
import { AuditLog } from '../../audit/index.ts'
import { useCurrentInstance } from '../instance-context.ts'

/** The audit log of an instance. */
export function InstanceAuditLogPage() {
  const instance = useCurrentInstance()
  usePageTitle('Audit Log', instance.name)
  return <AuditLog of={{ scope: 'project', id: instance.id }} teamId={instance.team.id} />
}
