import type { Deployment } from '@app/contract'
import { useRecentFailure } from '../../../lib/recent-failure.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { titleOf } from '../deployment-text.ts'
import { endText } from '../faults-text.ts'
import { DeploymentLog } from './DeploymentLog.tsx'

/** Why the last deployment failed or which errors it left, with the last lines of Node-RED. */
export function DeploymentNotice({ deployment }: { deployment: Deployment | null | undefined }) {
  const failed = useRecentFailure(deployment)
  if (!failed) return null
  const { id, target, state, reason, warning, log } = failed
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
        <b>{titleOf(failed)}</b>{' '}
        {state === 'failed' ? (
          <>failed. {reason}</>
        ) : (
          <>is {warning === undefined ? endText(failed) : `done. ${warning}`}</>
        )}
      </Banner>
      {state === 'failed' && <DeploymentLog log={log} />}
    </div>
  )
}
