import type { DeviceDetails } from '@app/contract'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { AgentVersion } from '../components/AgentUpdate.tsx'
import { DeployedSnapshot } from '../components/DeployedSnapshot.tsx'
import { DeveloperMode } from '../components/DeveloperMode.tsx'
import { DeviceLoad } from '../components/DeviceLoad.tsx'
import { LastDeployment } from '../components/LastDeployment.tsx'
import { LastSeen } from '../components/LastSeen.tsx'
import { LastStatus } from '../components/LastStatus.tsx'
import { Trouble } from '../components/Trouble.tsx'
import { useCurrentDevice } from '../device-context.ts'

/** Connection and deployment of a device. */
export function DeviceOverviewPage() {
  const device = useCurrentDevice()
  const { name, type, agentVersion, nodejsVersion, nodeRedVersion, application, instance, targetSnapshot, createdAt } =
    device
  usePageTitle('Overview', name)
  return (
    <div className="grid gap-4 lg:grid-cols-2 lg:items-start">
      <Notices device={device} />
      <Card title="Connection">
        <DetailList
          items={[
            { label: 'Last Seen', value: <LastSeen device={device} /> },
            { label: 'Last Known Status', value: <LastStatus device={device} /> },
            { label: 'Agent Version', value: agentVersion && <AgentVersion device={device} /> },
            { label: 'Node.js Version', value: nodejsVersion },
            { label: 'Node-RED Version', value: nodeRedVersion },
            { label: 'Type', value: type },
            { label: 'Added', value: <RelativeTime time={createdAt} /> },
          ]}
        />
      </Card>
      <Card title="Deployment">
        <DetailList
          items={[
            {
              label: 'Application',
              value: application && (
                <TextLink to={`/application/${application.id}/instances`}>{application.name}</TextLink>
              ),
            },
            {
              label: 'Instance',
              value: instance && <TextLink to={`/instance/${instance.id}/overview`}>{instance.name}</TextLink>,
            },
            { label: 'Deployed Snapshot', value: <DeployedSnapshot device={device} /> },
            { label: 'Target Snapshot', value: targetSnapshot?.name },
          ]}
        />
      </Card>
      <DeveloperMode device={device} />
      <LastDeployment device={device} />
      <DeviceLoad device={device} />
    </div>
  )
}

/** Faults that the agent of a device or the platform noticed. */
function Notices({ device }: { device: DeviceDetails }) {
  const { refused, targetSnapshot, sharedIdentity, trouble } = device
  const isRefused = refused !== null && targetSnapshot !== null && refused.snapshot === targetSnapshot.id
  if (!isRefused && !sharedIdentity && !trouble) return null
  return (
    <div className="flex flex-col gap-3 lg:col-span-2">
      <Trouble device={device} />
      {isRefused && (
        <Banner kind="error">
          <b className="font-semibold">{targetSnapshot.name} was not deployed.</b> {refused.message} The device keeps
          running its previous snapshot{refused.final ? '. Set another target.' : ', and tries again later.'}
        </Banner>
      )}
      {sharedIdentity && (
        <Banner kind="warning">
          Two machines use the identity of this device. Regenerate its credentials, and give each machine its own
          device.
        </Banner>
      )}
    </div>
  )
}
