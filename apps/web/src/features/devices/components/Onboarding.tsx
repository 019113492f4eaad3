import type { Device, DeviceCredentials } from '@app/contract'
import { useState } from 'react'
import { Banner } from '../../../ui/Banner.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Segmented } from '../../../ui/Segmented.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { useSettings } from '../../account/index.ts'
import { agentLines, isLocalAddress } from '../agent-lines.ts'
import { credentialsFile, fileName } from '../credentials-file.ts'
import { useDevice } from '../devices.queries.ts'
import { SecretFile } from './SecretFile.tsx'

/** The credentials of a device, the commands that take them to its machine, and whether it has called since. */
export function Onboarding(props: { id: string; credentials: DeviceCredentials; lastSeenAt: string | null }) {
  const { id, credentials, lastSeenAt } = props
  const address = useSettings()?.base_url ?? location.origin
  const text = credentialsFile(id, credentials, address)
  return (
    <>
      <Waiting id={id} lastSeenAt={lastSeenAt} />
      {isLocalAddress(address) && <LocalAddress address={address} />}
      {credentials.otc && <Commands id={id} code={credentials.otc} address={address} />}
      <SecretFile
        label="Device credentials"
        risk="Anyone with this file or code can impersonate the device."
        fileName={fileName(id)}
        text={text}
      />
    </>
  )
}

/** Said where devices are given an address that leads back to themselves. */
export function LocalAddress({ address }: { address: string }) {
  return (
    <Banner kind="warning">
      Other machines cannot reach <span className="mono">{address}</span>. Set{' '}
      <span className="mono">FORGE_BASE_URL</span> to an address they can reach.
    </Banner>
  )
}

function Commands({ id, code, address }: { id: string; code: string; address: string }) {
  const lines = agentLines({ deviceId: id, code, address })
  const [which, setWhich] = useState<string>('linux')
  const { commands, note } = lines.find((line) => line.id === which)!
  return (
    <section aria-label="Run this on the device" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="font-medium">Run this on the device</h3>
        <Segmented
          label="Kind of machine"
          value={which}
          onChange={setWhich}
          options={lines.map((line) => ({ value: line.id, label: line.label }))}
        />
      </div>
      <pre
        aria-label="Commands"
        className="mono rounded-lg border bg-page px-3.5 py-2.5 text-md break-all whitespace-pre-wrap"
      >
        {commands}
      </pre>
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton text={commands} label="Copy commands" />
        <span className="text-sm text-muted">{note}</span>
      </div>
    </section>
  )
}

/** Turns green when the device calls; what it does is pushed. */
function Waiting({ id, lastSeenAt }: { id: string; lastSeenAt: string | null }) {
  const { data: device } = useDevice(id)
  if (device === undefined || device.lastSeenAt === lastSeenAt)
    return (
      <p role="status" className="flex items-center gap-2.5 text-muted">
        <Spinner size={14} label="Waiting" /> Waiting for the device to connect...
      </p>
    )
  return (
    <Banner kind="success">
      <b className="font-semibold">Connected.</b> {told(device)}
    </Banner>
  )
}

const told = ({ name, status, agentVersion, nodejsVersion }: Device) =>
  [
    `${name} called and is ${status}.`,
    agentVersion && `Agent ${agentVersion}.`,
    nodejsVersion && `Node.js ${nodejsVersion.replace(/^v/, '')}.`,
  ]
    .filter(Boolean)
    .join(' ')
