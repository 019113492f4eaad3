import { useEffect, useRef } from 'react'
import type { PipelineList } from '../../lib/pipeline-states.ts'
import { toast } from '../../ui/toast.ts'
import { endText, endTone } from '../deployments/index.ts'

/** Deployments by their ids that are under way, and those that have ended, each once though it stands in many stages. */
function deployments(list: PipelineList | undefined) {
  const all =
    list?.pipelines.flatMap(({ stages }) => stages.flatMap(({ lastDeployment }) => lastDeployment ?? [])) ?? []
  return new Map(all.map((one) => [one.id, one]))
}

/** Says how deployments ended that were seen under way on this page [PIPE-16]. */
export function useOutcomes(list: PipelineList | undefined): void {
  const open = useRef(new Set<string>())
  useEffect(() => {
    for (const [id, deployment] of deployments(list)) {
      const { state, reason, warning } = deployment
      if (state === 'running' || state === 'returning') open.current.add(id)
      else if (open.current.delete(id)) {
        if (state === 'failed') toast.warning('Deployment of stage failed.', reason ? { detail: reason } : {})
        else if (endTone(deployment) === 'warn')
          toast.warning(`Deployment of stage ${endText(deployment)}.`, warning ? { detail: warning } : {})
        else toast.success('Deployment of stage successful.')
      }
    }
  }, [list])
}
