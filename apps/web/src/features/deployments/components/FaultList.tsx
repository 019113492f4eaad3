import type { Deployment } from '@app/contract'
import { plural } from '../../../lib/plural.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Card } from '../../../ui/Card.tsx'
import { TextAnchor, TextLink } from '../../../ui/TextLink.tsx'
import { faultKinds, nodeLink, nodeLogLink, nodePlace, useInstance } from '../../instances/index.ts'

/** Errors of the flows that a deployment brought, each with its node: in the editor that has it, and in the log. */
export function DeploymentFaults({ deployment, editor }: { deployment: Deployment; editor: string }) {
  const { state, source, faults = [], target } = deployment
  // A version that was not kept can only be opened in the editor of the instance it came from, if at all.
  const isKept = state === 'done'
  const { data: from } = useInstance(isKept ? undefined : source?.id)
  if (faults.length === 0) return null
  const url = isKept ? editor : from?.url
  return (
    <Card title={plural(faults.length, isKept ? 'new error' : 'error')}>
      <ul className="divide-y">
        {faults.map((fault) => (
          <li
            key={`${fault.kind} ${fault.node?.id} ${fault.message}`}
            className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5"
          >
            <Badge tone="bad">{faultKinds[fault.kind]}</Badge>
            <span className="min-w-0 flex-1 basis-60 break-words">
              {fault.node && <b>{nodePlace(fault.node)}: </b>}
              {fault.message.split('\n', 1)[0]}
            </span>
            {fault.node && isKept && (
              <TextLink to={nodeLogLink(target.id, fault.node)} aria-label={`Log of ${nodePlace(fault.node)}`}>
                Log
              </TextLink>
            )}
            {fault.node && url !== undefined && (
              <TextAnchor href={nodeLink(url, fault.node)} aria-label={`Open node ${nodePlace(fault.node)}`}>
                Open node
              </TextAnchor>
            )}
          </li>
        ))}
      </ul>
      {isKept && (
        <p className="border-t px-4 py-2.5">
          <TextLink to={`/instance/${target.id}/logs`}>Node-RED log</TextLink>
        </p>
      )}
    </Card>
  )
}
