import { usePageTitle } from '../../../lib/page-title.ts'
import { RecentUsage } from '../../metrics/index.ts'
import { SleepCard } from '../../sleep/index.ts'
import { FlowErrors } from '../components/FlowErrors.tsx'
import { FirstFlow } from '../components/FirstFlow.tsx'
import { InstanceDetails } from '../components/InstanceDetails.tsx'
import { OperationProgress } from '../components/OperationProgress.tsx'
import { RecentActivity } from '../components/RecentActivity.tsx'
import { useCurrentInstance } from '../instance-context.ts'

/** The overview of an instance: its details, its state and its latest events. */
export function InstanceOverviewPage() {
  const instance = useCurrentInstance()
  usePageTitle('Overview', instance.name)
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,400px)] lg:items-start">
      <div className="flex min-w-0 flex-col gap-4">
        <OperationProgress instanceId={instance.id} />
        <FlowErrors instance={instance} />
        <FirstFlow instance={instance} />
        <RecentUsage instance={instance} />
        <RecentActivity instance={instance} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <InstanceDetails instance={instance} />
        <SleepCard instance={instance} />
      </div>
    </div>
  )
}
