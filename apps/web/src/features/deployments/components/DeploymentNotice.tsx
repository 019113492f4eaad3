import type { Deployment } from '@app/contract'
import { useNow } from '../../../lib/use-now.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { titleOf } from '../deployment-text.ts'
import { DeploymentLog } from './DeploymentLog.tsx'

/** How long a failure is of interest, in ms; it stays in the list of deployments. */
const lingers = 24 * 3_600_000

/** Why the last deployment failed, with the last lines of Node-RED. */
export function DeploymentNotice({ deployment }: { deployment: Deployment | null | undefined }) {
  const now = useNow(60_000)
  if (deployment?.state !== 'failed') return null
  const { id, target, reason, endedAt, log } = deployment
  if (endedAt !== undefined && Date.parse(endedAt) + lingers < now) return null
  return (
    <div className="flex flex-col gap-2">
      <Banner
        kind="warning"
        action={
          <ButtonLink to={`/instance/${target.id}/deployments/${id}`} size="sm">
            Details
          </ButtonLink>
        }
      >
        <b>{titleOf(deployment)}</b> failed. {reason}
      </Banner>
      <DeploymentLog log={log} />
    </div>
  )
}
