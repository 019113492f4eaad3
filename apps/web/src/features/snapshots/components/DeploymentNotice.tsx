import type { Deployment } from '@app/contract'
import { useNow } from '../../../lib/use-now.ts'
import { stripAnsi } from '../../../ui/ansi.ts'
import { Banner } from '../../../ui/Banner.tsx'

/** How long a failure is of interest, in ms; it stays in the audit log. */
const lingers = 24 * 3_600_000
/** What matters is at the end. */
const shownLines = 10

/** Why the last deployment failed, with the last lines of Node-RED. */
export function DeploymentNotice({ deployment }: { deployment: Deployment | null | undefined }) {
  const now = useNow(60_000)
  if (deployment?.state !== 'failed') return null
  const { kind, snapshot, reason, endedAt, log = [] } = deployment
  if (endedAt !== undefined && Date.parse(endedAt) + lingers < now) return null
  return (
    <div className="flex flex-col gap-2">
      <Banner kind="warning">
        {kind === 'push' ? 'The push from' : 'The rollback to'} <b>{snapshot.name}</b> failed. {reason}
      </Banner>
      {log.length > 0 && (
        <details className="rounded-lg border bg-panel px-4 py-2">
          <summary className="cursor-pointer">The last lines of Node-RED</summary>
          <pre className="mono my-2 text-sm break-words whitespace-pre-wrap">
            {log
              .slice(-shownLines)
              .map(({ msg }) => stripAnsi(msg))
              .join('\n')}
          </pre>
        </details>
      )}
    </div>
  )
}
