import type { Stage } from '@app/contract'
import { useNow } from '../../../lib/use-now.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { JobSteps, useJobs } from '../../instances/index.ts'

/** How long a failure is of interest, in ms; it stays on record. */
const lingers = 24 * 3_600_000

/** What is deployed to a stage, step by step; after a failure, why. */
export function DeploymentProgress({ stage }: { stage: Stage }) {
  const now = useNow(60_000)
  const [instance] = stage.instances
  const { lastDeployment: last } = stage
  if (!instance) return null
  if (stage.isDeploying) return <Progress instanceId={instance.id} title={`Deploying to ${stage.name}`} />
  if (last?.state !== 'failed' || Date.parse(last.endedAt ?? last.createdAt) + lingers < now) return null
  return (
    <Banner
      kind="warning"
      action={
        <RouterLink to={`/instance/${instance.id}/snapshots`} className="rounded-sm whitespace-nowrap underline">
          The last lines of Node-RED
        </RouterLink>
      }
    >
      The deployment to <b>{stage.name}</b> failed. {last.reason}
    </Banner>
  )
}

function Progress({ instanceId, title }: { instanceId: string; title: string }) {
  const { data } = useJobs(instanceId)
  const job = data?.jobs.find(({ kind, endedAt }) => kind === 'deployment.push' && endedAt === undefined)
  return job ? <JobSteps job={job} title={title} /> : null
}
