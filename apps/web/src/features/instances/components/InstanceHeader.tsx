import { Layers } from 'lucide-react'
import { StatusHeader } from '../../../shell/StatusHeader.tsx'
import { Tag } from '../../../ui/Badge.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { useFeatures, useVisiting } from '../../teams/index.ts'
import { useCurrentInstance } from '../instance-context.ts'
import { ActionsMenu } from './ActionsMenu.tsx'
import { EditorButton } from './EditorButton.tsx'
import { InstanceStatus } from './InstanceStatus.tsx'

/** Name, state and application of an instance, what can be done with it, and its pages. */
export function InstanceHeader({ onDelete }: { onDelete: () => void }) {
  const instance = useCurrentInstance()
  const visiting = useVisiting()
  const { id, application } = instance
  const hasDevices = useFeatures(instance.team.id)?.['devices'] === true
  return (
    <StatusHeader
      label="Instance"
      breadcrumb={[
        {
          label: application.name,
          to: `/application/${application.id}/instances`,
          icon: <Layers size={16} aria-hidden />,
        },
      ]}
      title={instance.name}
      badge={
        <>
          <InstanceStatus instance={instance} />
          {instance.ha && (
            <RouterLink to={`/instance/${id}/settings/ha`} className="rounded-sm">
              <span className="sr-only">High Availability: </span>
              <Tag>{instance.ha.replicas} replicas</Tag>
            </RouterLink>
          )}
        </>
      }
      actions={
        <>
          <ActionsMenu instance={instance} onDelete={onDelete} />
          <EditorButton primary instance={instance} visiting={visiting} />
        </>
      }
      tabs={[
        { to: `/instance/${id}/overview`, label: 'Overview' },
        ...(hasDevices ? [{ to: `/instance/${id}/devices`, label: 'Devices' }] : []),
        { to: `/instance/${id}/snapshots`, label: 'Snapshots' },
        {
          to: `/instance/${id}/history`,
          label: 'History',
          more: [`/instance/${id}/versions/`, `/instance/${id}/deployments/`],
        },
        { to: `/instance/${id}/audit-log`, label: 'Audit Log' },
        { to: `/instance/${id}/logs`, label: 'Node-RED Logs' },
        { to: `/instance/${id}/performance`, label: 'Performance' },
        { to: `/instance/${id}/context`, label: 'Context' },
        { to: `/instance/${id}/settings`, label: 'Settings' },
      ]}
    />
  )
}
