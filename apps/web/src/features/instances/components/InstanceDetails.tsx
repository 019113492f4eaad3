import type { Instance } from '@app/contract'
import { ExternalLink } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../../ui/Card.tsx'
import { Copyable, CopyButton } from '../../../ui/CopyButton.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { settingsQuery, useUser } from '../../account/index.ts'
import { useVisiting } from '../../teams/index.ts'
import { openEditorNames } from '../open-editors.ts'
import { runningReplicas } from '../replicas.ts'
import { useUsage } from '../instances.queries.ts'
import { InstanceStatus } from './InstanceStatus.tsx'
import { Isolation } from './Isolation.tsx'
import { LastUpdated } from './LastUpdated.tsx'
import { hasNotice } from './StateNotice.tsx'
import { UsageLine } from './UsageLine.tsx'

/** The parts and state of an instance. Versions are known once its Node-RED has reported them. */
export function InstanceDetails({ instance }: { instance: Instance }) {
  const { versions, state } = instance.meta
  const running = state === 'running' || state === 'safe' || state === 'unknown' || runningReplicas(instance.meta) > 0
  const usage = useUsage(instance.id, running)
  const editors = openEditorNames(instance.meta.editors, useUser().id)
  const gaps = useQuery(settingsQuery).data?.['driver:gaps']
  return (
    <Card title="Details">
      <DetailList
        items={[
          { label: 'Editor', value: <Address instance={instance} /> },
          { label: 'Status', value: <InstanceStatus instance={instance} /> },
          ...(editors ? [{ label: 'Editor open', value: editors }] : []),
          ...(instance.meta.reason && !hasNotice(state) ? [{ label: 'Reason', value: instance.meta.reason }] : []),
          {
            label: 'Resources',
            value: usage ? (
              <UsageLine usage={usage} />
            ) : (
              <span className="text-muted">{running ? 'Measuring...' : 'Not running'}</span>
            ),
          },
          { label: 'Last Updated', value: <LastUpdated time={instance.flowLastUpdatedAt} /> },
          { label: 'Instance Type', value: instance.projectType.name },
          { label: 'Stack', value: instance.stack.label || instance.stack.name },
          { label: 'Template', value: instance.template.name },
          { label: 'Node-RED', value: versions?.['node-red'] ?? instance.stack.properties.nodered },
          { label: 'FlowForge runtime', value: versions?.launcher },
          { label: 'Node.js', value: versions?.node },
          ...(gaps ? [{ label: 'Process isolation', value: <Isolation gaps={gaps} /> }] : []),
          { label: 'Created', value: <RelativeTime time={instance.createdAt} /> },
          { label: 'Instance ID', value: <Id text={instance.id} /> },
        ]}
      />
    </Card>
  )
}

/** Copy buttons are taller than a line of text: the row must not grow with them. */
function Id({ text }: { text: string }) {
  return (
    <div className="-my-1">
      <Copyable text={text} what="instance ID" />
    </div>
  )
}

/** The address: a link for who may open the editor, text for a visiting administrator [INST-17]. */
function Address({ instance: { url, settings, ha } }: { instance: Instance }) {
  const visiting = useVisiting()
  const host = url.replace(/^https?:\/\//, '')
  if (visiting || settings.disableEditor || ha) return <Copyable text={host} what="address" />
  return (
    <span className="-my-1 inline-flex max-w-full min-w-0 items-center gap-1">
      <a
        href={url}
        target="_blank"
        rel="noreferrer"
        className="mono inline-flex min-w-0 items-center gap-1 rounded-sm text-accent-text hover:underline"
      >
        <span className="truncate">{host}</span>
        <ExternalLink size={14} aria-label="(opens in a new tab)" />
      </a>
      <CopyButton text={url} what="address" />
    </span>
  )
}
