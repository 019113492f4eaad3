import type { Deployment } from '@app/contract'
import { stripAnsi } from '../../../ui/ansi.ts'

/** The end of a log matters most. */
const shownLines = 20

/** The last lines of Node-RED before a deployment was given up. */
export function DeploymentLog({ log = [], open = false }: Pick<Deployment, 'log'> & { open?: boolean }) {
  if (log.length === 0) return null
  return (
    <details className="rounded-lg border bg-panel px-4 py-2" open={open}>
      <summary className="cursor-pointer">The last lines of Node-RED</summary>
      <pre className="mono my-2 text-sm break-words whitespace-pre-wrap">
        {log
          .slice(-shownLines)
          .map(({ msg }) => stripAnsi(msg))
          .join('\n')}
      </pre>
    </details>
  )
}
