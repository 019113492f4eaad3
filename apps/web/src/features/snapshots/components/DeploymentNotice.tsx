import type { Deployment } from '@app/contract'
import { Banner } from '../../../ui/Banner.tsx'
import { stripAnsi } from '../../../ui/ansi.ts'

/** Why the last deployment failed, with the last lines of Node-RED. */
export function DeploymentNotice({ deployment }: { deployment: Deployment | null | undefined }) {
  if (deployment?.state !== 'failed') return null
  const { snapshot, reason, log = [] } = deployment
  return (
    <Banner kind="warning">
      <p>
        The rollback to <b>{snapshot.name}</b> failed. {reason}
      </p>
      {log.length > 0 && (
        <details className="mt-1">
          <summary className="cursor-pointer text-md">The last lines of Node-RED</summary>
          <pre className="mono mt-1 text-sm break-words whitespace-pre-wrap">
            {log.map(({ msg }) => stripAnsi(msg)).join('\n')}
          </pre>
        </details>
      )}
    </Banner>
  )
}
