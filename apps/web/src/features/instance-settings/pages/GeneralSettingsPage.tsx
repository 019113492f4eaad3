import { usePageTitle } from '../../../lib/page-title.ts'
import { Card } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { useCurrentInstance } from '../../instances/index.ts'
import { CheckCard } from '../components/CheckCard.tsx'
import { TakeoverCard } from '../components/TakeoverCard.tsx'
import { DangerSections } from '../components/DangerSections.tsx'
import { EnvironmentCard } from '../components/EnvironmentCard.tsx'

/** Details of an instance, its health check, and changes to the whole of it. */
export function GeneralSettingsPage() {
  const instance = useCurrentInstance()
  const { id, name, projectType, stack, template, ha } = instance
  usePageTitle('Settings', name)
  const items = [
    {
      label: 'Instance ID',
      value: (
        <span className="flex items-center gap-2">
          <span className="mono min-w-0 truncate">{id}</span>
          <CopyButton text={id} what="ID" />
        </span>
      ),
    },
    { label: 'Name', value: name },
    { label: 'Instance Type', value: projectType.name || 'none' },
    ...(ha ? [{ label: 'High Availability', value: `${ha.replicas} x instances` }] : []),
    { label: 'Stack', value: stack.label || stack.name || 'none' },
    { label: 'Template', value: template.name || 'none' },
  ]
  return (
    <div className="flex flex-col gap-4">
      <Card title="Instance Details">
        <DetailList items={items} />
      </Card>
      <EnvironmentCard instance={instance} />
      <CheckCard instance={instance} />
      <TakeoverCard instance={instance} />
      <DangerSections />
    </div>
  )
}
