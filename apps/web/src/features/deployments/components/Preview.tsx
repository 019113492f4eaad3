import type { DeploymentDraft, Difference, Drawing } from '@app/contract'
import { Failure } from '../../../lib/api-failure.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { FlowLegend } from '../../../ui/flow/FlowView.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import { usePreview, useReadiness } from '../deployments.queries.ts'
import type { InstallChoice } from '../install.ts'
import { ComparedFlows } from './ComparedFlows.tsx'
import { DifferenceList, useMoved } from './DifferenceList.tsx'
import { ForeseenList } from './ForeseenList.tsx'
import { TakeoverNote } from './TakeoverNote.tsx'

/**
 * The changes of a draft, with a drawing of flows, and whether all its parts are available. `token` names the draft.
 */
export function Preview(props: {
  instanceId: string
  token: string
  draft: DeploymentDraft
  /** Look whether modules and Node-RED can be had; flows alone need neither. */
  checked?: boolean
  /** Which missing modules come with it. */
  install: InstallChoice
  /** Credentials come with it in a way that the draft does not tell. */
  withCredentials?: boolean
}) {
  const { instanceId, token, draft, checked = false, install, withCredentials = false } = props
  const { data, error, refetch } = usePreview(instanceId, token, draft)
  const { data: readiness } = useReadiness(instanceId, token, checked ? draft : undefined)
  return (
    <>
      {readiness?.ready === false && <Banner kind="warning">{readiness.problem}.</Banner>}
      <TakeoverNote plan={data?.takeover} />
      {data && (
        <ForeseenList
          foreseen={data.foreseen.filter(({ kind }) => !(withCredentials && kind === 'credentials'))}
          install={install}
        />
      )}
      <Changes
        changes={data?.changes}
        drawing={data?.drawing}
        was={data?.was}
        error={error}
        onRetry={() => void refetch()}
      />
    </>
  )
}

/** Changes, drawn where flows change; lines that wait until they are there. */
export function Changes(props: {
  changes: Difference | undefined
  drawing: Drawing | undefined
  /** Nodes as they were drawn before. */
  was: Drawing | undefined
  error: Error | null
  onRetry: () => void
}) {
  const { changes, drawing = none, was = none, error, onRetry } = props
  const { moved, onMoved } = useMoved()
  return (
    <div
      role="group"
      aria-label="Changes"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="flex max-h-[50dvh] flex-col gap-4 overflow-y-auto"
    >
      {changes ? (
        <>
          {drawing.length > 0 && (
            <div className="flex-none overflow-hidden rounded-lg border">
              <ComparedFlows drawing={drawing} was={was} nodes={changes.nodes} moved={moved} compact />
              <FlowLegend className="border-t px-3 py-1.5" />
            </div>
          )}
          <DifferenceList difference={changes} moved={moved} onMoved={onMoved} />
        </>
      ) : error ? (
        <Failure error={error} onRetry={onRetry} />
      ) : (
        <SkeletonText />
      )}
    </div>
  )
}

const none: never[] = []
