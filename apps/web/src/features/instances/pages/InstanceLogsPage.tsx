import { usePageTitle } from '../../../lib/page-title.ts'
import { InstanceLogs } from '../components/InstanceLogs.tsx'
import { useCurrentInstance } from '../instance-context.ts'

/** What Node-RED writes, live. */
export function InstanceLogsPage() {
  const instance = useCurrentInstance()
  usePageTitle('Node-RED Logs', instance.name)
  return <InstanceLogs instance={instance} />
}
