import type { Device, DeviceCredentials } from '@app/contract'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { useRenewCredentials } from '../devices.actions.ts'
import { Onboarding } from './Onboarding.tsx'

/**
 * The credentials of a device, in two steps: whether new ones shall be made, then what they are, this once [DEV-48].
 * With `first`, those of a device just made, the second alone.
 */
export function CredentialsDialog(props: {
  device: Pick<Device, 'id' | 'name'>
  first?: DeviceCredentials | undefined
  onClose: () => void
}) {
  const { device, onClose } = props
  const [made, setMade] = useState(props.first && { credentials: props.first, lastSeenAt: null as string | null })
  const { mutate: renew, isPending } = useRenewCredentials(device.id)
  const name = <b className="font-semibold text-ink">{device.name}</b>
  // One window for both, so that the focus goes back to where it came from.
  return (
    <Dialog
      open
      wide={made !== undefined}
      onClose={onClose}
      busy={isPending}
      title={made ? 'Device Credentials' : 'Regenerate Credentials'}
      description={
        made ? (
          <>Start the agent on {name} with these commands, or with the file below.</>
        ) : (
          <>The credentials that {name} has now stop working at once. It is offline until its agent has the new ones.</>
        )
      }
      footer={
        made ? (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button disabled={isPending} onClick={onClose}>
              Cancel
            </Button>
            <Button variant="danger" loading={isPending} onClick={() => renew(undefined, { onSuccess: setMade })}>
              Regenerate Credentials
            </Button>
          </>
        )
      }
    >
      {made && <Onboarding id={device.id} {...made} />}
    </Dialog>
  )
}
