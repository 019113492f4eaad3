import { usePageTitle } from '../../../lib/page-title.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { InstanceLogs } from '../components/InstanceLogs.tsx'

/** The live log of Node-RED. */
export function InstanceLogsPage() {
  const instance = useCurrentInstance()
  usePageTitle('Node-RED Logs', instance.name)
  return <InstanceLogs instance={instance} />
}
