import type { Stage } from '@app/contract'
import { ChevronRight, Play } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { toast } from '../../../ui/toast.ts'
import { PushDialog } from './PushDialog.tsx'

/** Between two stages: runs the first. While that deploys, arrows move towards the second. */
export function RunStage(props: { applicationId: string; pipelineId: string; source: Stage; target: Stage }) {
  const { source, target } = props
  const mayRun = useCan('project:edit')
  const [asking, setAsking] = useState(false)
  const busy = target.isDeploying === true || source.isDeploying === true
  const run = () => {
    if (source.instances.length === 0) toast.warning(`The stage "${source.name}" has no instance any more.`)
    else if (target.instances.length === 0)
      toast.warning(`Unable to find configured target for stage "${source.name}".`)
    else setAsking(true)
  }
  return (
    <li className="grid min-h-9 place-items-center text-muted lg:w-11">
      {target.isDeploying ? (
        <Arrows label={`Deploying to ${target.name}`} />
      ) : mayRun ? (
        <IconButton label={`Run Stage ${source.name}`} disabled={busy} onClick={run} className="border bg-panel">
          <Play size={15} aria-hidden />
        </IconButton>
      ) : (
        <ChevronRight size={16} aria-hidden className="rotate-90 lg:rotate-0" />
      )}
      {asking && <PushDialog {...props} onClose={() => setAsking(false)} />}
    </li>
  )
}

/** [PIPE-03] */
function Arrows({ label }: { label: string }) {
  return (
    <span role="img" aria-label={label} data-testid="deploying" className="flex rotate-90 text-busy-text lg:rotate-0">
      {[0, 150, 300].map((delay) => (
        <ChevronRight
          key={delay}
          size={16}
          aria-hidden
          className="-mx-0.75 animate-pulse"
          style={{ animationDelay: `${delay}ms` }}
        />
      ))}
    </span>
  )
}
