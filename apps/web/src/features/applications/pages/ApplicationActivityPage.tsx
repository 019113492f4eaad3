import { History } from 'lucide-react'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { AuditLog } from '../../audit/index.ts'
import { useCurrentApplication } from '../application-context.ts'
import { InstanceChoice } from '../components/InstanceChoice.tsx'
import { useChosenInstance } from '../components/use-chosen-instance.ts'

/** The audit log of one of the application's instances. */
export function ApplicationActivityPage() {
  const application = useCurrentApplication()
  usePageTitle('Audit Log', application.name)
  const { instances, chosen, choose, error, retry } = useChosenInstance(application.id)
  if (error && !instances) return <Failure error={error} onRetry={retry} />
  if (!instances) return <Loading message="Loading Activity..." />
  if (!chosen) {
    return (
      <EmptyState icon={<History />} title="No Activity Found">
        This application has no instances yet.
      </EmptyState>
    )
  }
  return (
    <AuditLog
      of={{ scope: 'project', id: chosen.id }}
      teamId={application.teamId}
      first={<InstanceChoice instances={instances} value={chosen.id} onChange={choose} />}
    />
  )
}
