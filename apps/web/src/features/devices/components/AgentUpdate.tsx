import type { DeviceDetails } from '@app/contract'
import type { ReactNode } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { useUpdateAgent } from '../devices.actions.ts'

const byHand = {
  installer: 'Run the line of Add Device on the device again to update.',
  image: 'Start a newer container image on the same volume to update.',
}

/** The version of the agent of a device, a newer one with what brings it, and how the last update went. */
export function AgentVersion({ device }: { device: DeviceDetails }) {
  const { agentVersion, lastSeenAt, agentUpdate } = device
  const { updater, available, ordered, last } = agentUpdate
  const mayUpdate = useCan('device:edit')
  const isOther = updater === null && lastSeenAt !== null
  return (
    <div className="flex flex-col items-start gap-1">
      <span>
        {agentVersion}
        {available !== null && ` (${available} is available)`}
      </span>
      {isOther && <Note>This is not flowforge-agent, so the platform cannot update it.</Note>}
      {available !== null && (updater === 'installer' || updater === 'image') && <Note>{byHand[updater]}</Note>}
      {ordered ? (
        <Note>
          Update to {ordered.version} requested <RelativeTime time={ordered.orderedAt} />. The agent takes it at its
          next check-in.
        </Note>
      ) : (
        last && (
          <Note>
            {last.state === 'done' ? `Updated to ${last.version} ` : `The update to ${last.version} failed `}
            <RelativeTime time={last.reportedAt} />
            {last.message === undefined ? '.' : `. ${last.message}`}
          </Note>
        )
      )}
      {mayUpdate && available !== null && updater === 'self' && !ordered && (
        <UpdateButton device={device} version={available} />
      )}
    </div>
  )
}

/** A message of an agent may hold paths, which are broken anywhere. */
const Note = ({ children }: { children: ReactNode }) => (
  <span className="max-w-full wrap-anywhere text-muted">{children}</span>
)

function UpdateButton({ device: { id, name }, version }: { device: DeviceDetails; version: string }) {
  const { mutate: update, isPending } = useUpdateAgent(id)
  return (
    <Button
      size="sm"
      loading={isPending}
      onClick={() => void confirm(question(name, version)).then((sure) => sure && update())}
    >
      Update Agent
    </Button>
  )
}

const question = (name: string, version: string) => ({
  title: 'Update Agent',
  message: (
    <>
      The agent of <b>{name}</b> becomes version {version}. Its flows run on, and their HTTP port is closed for a few
      seconds. If the new version cannot reach the platform within 5 minutes, the current one returns.
    </>
  ),
  confirmLabel: 'Update Agent',
})
