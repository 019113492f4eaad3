import type { FlowFault } from '@app/contract'
import { Badge } from '../../../ui/Badge.tsx'
import { TextAnchor, TextLink } from '../../../ui/TextLink.tsx'
import { faultKinds, nodeLink, nodeLogLink, nodeLocation } from '../node-text.ts'

type Fault = Pick<FlowFault, 'kind' | 'node' | 'message'>

/** Errors of flows, each with its node: in the editor at `editor`, and in the log of the instance `logOf`, where there is one. */
export function FaultList(props: { faults: readonly Fault[]; editor: string | undefined; logOf?: string | undefined }) {
  const { faults, editor, logOf } = props
  return (
    <ul className="divide-y">
      {faults.map((fault) => (
        <li
          key={`${fault.kind} ${fault.node?.id} ${fault.message}`}
          className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5"
        >
          <Badge tone="bad">{faultKinds[fault.kind]}</Badge>
          <span className="min-w-0 flex-1 basis-60 break-words">
            {fault.node && <b>{nodeLocation(fault.node)}: </b>}
            {fault.message.split('\n', 1)[0]}
          </span>
          {fault.node && logOf !== undefined && (
            <TextLink to={nodeLogLink(logOf, fault.node)} aria-label={`Log of ${nodeLocation(fault.node)}`}>
              Log
            </TextLink>
          )}
          {fault.node && editor !== undefined && (
            <TextAnchor href={nodeLink(editor, fault.node)} aria-label={`Open node ${nodeLocation(fault.node)}`}>
              Open node
            </TextAnchor>
          )}
        </li>
      ))}
    </ul>
  )
}
