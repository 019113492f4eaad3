import type { Deployment } from '@app/contract'
import { useParams } from '@tanstack/react-router'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { EntryHeader } from '../../../ui/PageHeader.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { toStep, useCurrentInstance } from '../../instances/index.ts'
import { Steps } from '../../../ui/Steps.tsx'
import { DeploymentLog } from '../components/DeploymentLog.tsx'
import { DeploymentFaults } from '../components/DeploymentFaults.tsx'
import { changesText, titleOf } from '../deployment-text.ts'
import { useDeployment } from '../deployments.queries.ts'
import { endText, endTone } from '../faults-text.ts'
import { takeoverItems } from '../takeover-text.ts'

/** One deployment at an address of its own, to be sent to others: its steps, what it changed, why it failed. */
export function DeploymentPage() {
  const instance = useCurrentInstance()
  const { deploymentId } = useParams({ from: '/platform/instance/$instanceId/deployments/$deploymentId' })
  const { data: deployment, error, refetch } = useDeployment(instance.id, deploymentId)
  usePageTitle('Deployment', instance.name)
  if (error && !deployment) return <Failure error={error} onRetry={() => void refetch()} />
  if (!deployment) return <Loading message="Loading Deployment..." />
  return (
    <div className="flex flex-col gap-4">
      <EntryHeader list={{ to: `/instance/${instance.id}/history`, label: 'History' }} title={titleOf(deployment)}>
        <CopyButton text={location.href} what="link" />
      </EntryHeader>
      {deployment.state === 'failed' && <Banner kind="warning">{deployment.reason}</Banner>}
      {deployment.warning !== undefined && <Banner kind="warning">{deployment.warning}</Banner>}
      <DeploymentFaults deployment={deployment} instance={instance} />
      {deployment.steps.length > 0 && (
        <Steps
          title="Steps"
          startedAt={Date.parse(deployment.createdAt)}
          endedAt={deployment.endedAt === undefined ? undefined : Date.parse(deployment.endedAt)}
          steps={deployment.steps.map((step) => toStep(step, deployment.reason))}
        />
      )}
      <DeploymentLog log={deployment.log} open />
      <Card title="Details">
        <DetailList items={detailsOf(deployment)} />
      </Card>
    </div>
  )
}

function detailsOf(deployment: Deployment) {
  const { by, createdAt, endedAt, target, changes, takeover } = deployment
  const names = (list: readonly string[]) => list.join(', ')
  return [
    { label: 'State', value: <Badge tone={endTone(deployment)}>{endText(deployment)}</Badge> },
    { label: 'By', value: by },
    { label: 'Instance', value: target.name },
    { label: 'Started', value: <RelativeTime time={createdAt} /> },
    ...(endedAt === undefined ? [] : [{ label: 'Ended', value: <RelativeTime time={endedAt} /> }]),
    ...(takeover ? takeoverItems(takeover) : []),
    { label: 'Changes', value: changesText(changes).join(' · ') || 'Nothing' },
    ...(changes.modules.length > 0 ? [{ label: 'Modules', value: names(changes.modules) }] : []),
    ...(changes.env.length > 0 ? [{ label: 'Variables', value: names(changes.env) }] : []),
    ...(changes.settings.length > 0 ? [{ label: 'Settings', value: names(changes.settings) }] : []),
  ]
}
