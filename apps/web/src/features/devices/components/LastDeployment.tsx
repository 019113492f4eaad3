import type { DeviceDetails } from '@app/contract'
import { plural } from '../../../lib/plural.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { endText, endTone, takeoverItems } from '../../deployments/index.ts'
import { FaultList, useEditorAddress, useInstance } from '../../instances/index.ts'

/** Result of the last target of a device: its takeover, what that cost, and the errors it brought. */
export function LastDeployment({ device: { lastDeployment, instance } }: { device: DeviceDetails }) {
  const editor = useEditorAddress(useInstance(instance?.id).data)
  if (!lastDeployment) return null
  const { name, state, takeover, reason, warning, faults, reportedAt } = lastDeployment
  return (
    <>
      <Card title="Last Deployment" className="lg:col-span-2">
        <DetailList
          items={[
            { label: 'Snapshot', value: name },
            { label: 'State', value: <Badge tone={endTone(lastDeployment)}>{endText(lastDeployment)}</Badge> },
            ...(reason === undefined ? [] : [{ label: 'Reason', value: reason }]),
            ...(warning === undefined ? [] : [{ label: 'Warning', value: warning }]),
            { label: 'Reported', value: <RelativeTime time={reportedAt} /> },
            ...(takeover ? takeoverItems(takeover) : []),
          ]}
        />
      </Card>
      {faults.length > 0 && (
        <Card title={plural(faults.length, state === 'done' ? 'new error' : 'error')} className="lg:col-span-2">
          <FaultList faults={faults} editor={editor} />
        </Card>
      )}
    </>
  )
}
