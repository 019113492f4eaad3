import type { FlowFault, Instance } from '@app/contract'
import { plural } from '../../../lib/plural.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Card } from '../../../ui/Card.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { TextAnchor, TextLink } from '../../../ui/TextLink.tsx'
import { useFlowErrors } from '../instances.queries.ts'
import { faultKinds, nodeLink, nodeLogLink, nodeLocation } from '../node-text.ts'
import { runningReplicas } from '../replicas.ts'
import { useEditorAddress } from '../use-editor-address.ts'

/** Errors that the running flows have now, each with its node; nothing while there are none. */
export function FlowErrors({ instance }: { instance: Instance }) {
  const { id, meta } = instance
  const editor = useEditorAddress(instance)
  const errors = useFlowErrors(id, meta.state === 'running' || runningReplicas(meta) > 0)
  if (!errors || errors.length === 0) return null
  return (
    <Card title={`${plural(errors.length, 'error')} in the flows`}>
      <ul aria-label="Errors in the flows" className="divide-y">
        {errors.map((fault) => (
          <FlowError
            key={`${fault.kind} ${fault.node?.id} ${fault.message}`}
            fault={fault}
            editor={editor}
            instanceId={id}
          />
        ))}
      </ul>
    </Card>
  )
}

function FlowError(props: { fault: FlowFault; editor: string | undefined; instanceId: string }) {
  const { kind, node, message, count, at } = props.fault
  const place = node && nodeLocation(node)
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5">
      <Badge tone="bad">{faultKinds[kind]}</Badge>
      <span className="min-w-0 flex-1 basis-60 break-words">
        {place && <b>{place}: </b>}
        {message.split('\n', 1)[0]}
        <span className="text-md text-muted">
          {' '}
          · <span className="num">{plural(count, 'time')}</span>, last <RelativeTime time={at} />
        </span>
      </span>
      <span className="flex gap-3">
        {node && props.editor && (
          <TextAnchor href={nodeLink(props.editor, node)} aria-label={`Open node ${place}`}>
            Open node
          </TextAnchor>
        )}
        <TextLink
          to={node ? nodeLogLink(props.instanceId, node) : `/instance/${props.instanceId}/logs?level=error`}
          aria-label={place ? `Log of ${place}` : 'Log of errors'}
        >
          Log
        </TextLink>
      </span>
    </li>
  )
}
