import type { Device, DeviceCredentials } from '@app/contract'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { download } from '../../../lib/download.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { useSettings } from '../../account/index.ts'
import { credentialsFile, fileName } from '../credentials-file.ts'
import { useRenewCredentials } from '../devices.actions.ts'

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
  const [made, setMade] = useState(props.first)
  const { mutate: renew, isPending } = useRenewCredentials(device.id)
  const name = <b className="font-semibold text-ink">{device.name}</b>
  // One window for both, so that the focus goes back to where it came from.
  return (
    <Dialog
      open
      wide={made !== undefined}
      onClose={onClose}
      title={made ? 'Device Credentials' : 'Regenerate Credentials'}
      description={
        made ? (
          <>Save this as the configuration of the agent on {name}.</>
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
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="danger" loading={isPending} onClick={() => renew(undefined, { onSuccess: setMade })}>
              Regenerate Credentials
            </Button>
          </>
        )
      }
    >
      {made && <Credentials id={device.id} credentials={made} />}
    </Dialog>
  )
}

function Credentials({ id, credentials }: { id: string; credentials: DeviceCredentials }) {
  const address = useSettings()?.base_url ?? location.origin
  const text = credentialsFile(id, credentials, address)
  return (
    <>
      <Banner kind="warning">Shown once. Anyone with this file can impersonate the device.</Banner>
      <pre
        aria-label="Device credentials"
        className="mono rounded-lg border bg-page px-3.5 py-2.5 text-md break-all whitespace-pre-wrap"
      >
        {text}
      </pre>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden />}
          onClick={() => download(fileName(id), 'application/yaml', text)}
        >
          Download
        </Button>
        <CopyButton text={text} label="Copy" />
      </div>
    </>
  )
}
