import type { Deployment, Instance } from '@app/contract'
import { plural } from '../../../lib/plural.ts'
import { Card } from '../../../ui/Card.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { FaultList, useEditorAddress, useInstance } from '../../instances/index.ts'

/** Errors of the flows that a deployment brought, each with its node: in the editor that has it, if it opens, and in the log. */
export function DeploymentFaults({ deployment, instance }: { deployment: Deployment; instance: Instance }) {
  const { state, source, faults = [], target } = deployment
  // A version that was not kept can only be opened in the editor of the instance it came from, if at all.
  const isKept = state === 'done'
  const { data: from } = useInstance(isKept ? undefined : source?.id)
  const editor = useEditorAddress(isKept ? instance : from)
  if (faults.length === 0) return null
  return (
    <Card title={plural(faults.length, isKept ? 'new error' : 'error')}>
      <FaultList faults={faults} editor={editor} logOf={isKept ? target.id : undefined} />
      {isKept && (
        <p className="border-t px-4 py-2.5">
          <TextLink to={`/instance/${target.id}/logs`}>Node-RED log</TextLink>
        </p>
      )}
    </Card>
  )
}
