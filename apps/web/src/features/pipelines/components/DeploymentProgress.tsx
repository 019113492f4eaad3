import type { Stage } from '@app/contract'
import { useRecentFailure } from '../../../lib/recent-failure.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { endText } from '../../deployments/index.ts'
import { JobSteps, useJobs } from '../../instances/index.ts'

/** Progress of a deployment to a stage, step by step; after a failure, the reason; after errors, their number. */
export function DeploymentProgress({ stage }: { stage: Stage }) {
  const [instance] = stage.instances
  const failed = useRecentFailure(stage.lastDeployment)
  if (!instance) return null
  if (stage.isDeploying) return <Progress instanceId={instance.id} title={`Deploying to ${stage.name}`} />
  if (!failed) return null
  return (
    <Banner
      kind="warning"
      action={
        <RouterLink
          to={`/instance/${instance.id}/deployments/${failed.id}`}
          className="rounded-sm whitespace-nowrap underline"
        >
          Details
        </RouterLink>
      }
    >
      The deployment to <b>{stage.name}</b>{' '}
      {failed.state === 'failed'
        ? `failed. ${failed.reason}`
        : `is ${failed.warning ? `done. ${failed.warning}` : `${endText(failed)}.`}`}
    </Banner>
  )
}

function Progress({ instanceId, title }: { instanceId: string; title: string }) {
  const { data } = useJobs(instanceId)
  const job = data?.jobs.find(({ kind, endedAt }) => kind === 'deployment.push' && endedAt === undefined)
  return job ? <JobSteps job={job} title={title} /> : null
}
