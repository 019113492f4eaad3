import { SquareTerminal } from 'lucide-react'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { InstanceStatus } from '../../instances/index.ts'
import { InstanceLogs } from '../../logs/index.ts'
import { useCurrentApplication } from '../application-context.ts'
import { InstanceChoice } from '../components/InstanceChoice.tsx'
import { useChosenInstance } from '../components/use-chosen-instance.ts'

/** The log of one of the application's instances. */
export function ApplicationLogsPage() {
  const application = useCurrentApplication()
  usePageTitle('Node-RED Logs', application.name)
  const { instances, chosen, choose, error, retry } = useChosenInstance(application.id)
  if (error && !instances) return <Failure error={error} onRetry={retry} />
  if (!instances) return <Loading message="Loading logs..." />
  if (!chosen) {
    return (
      <EmptyState icon={<SquareTerminal />} title="Choose an instance to see its logs.">
        This application has no instances yet.
      </EmptyState>
    )
  }
  return (
    <InstanceLogs
      instance={chosen}
      tools={
        <>
          <InstanceChoice bare instances={instances} value={chosen.id} onChange={choose} />
          <RouterLink to={`/instance/${chosen.id}/overview`} className="rounded-xl">
            <InstanceStatus instance={chosen} />
            <span className="sr-only">, open {chosen.name}</span>
          </RouterLink>
        </>
      }
    />
  )
}
