import type { Replica } from '@app/contract'
import { Copy } from 'lucide-react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { DetailList } from '../../../ui/DetailList.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { InstanceStatus, useCurrentInstance } from '../../instances/index.ts'
import { useFeatures } from '../../teams/index.ts'
import { useHa } from '../ha.queries.ts'

/** Whether an instance is one process or two that serve together. */
export function HaSettingsPage() {
  const instance = useCurrentInstance()
  const { name, ha, meta } = instance
  usePageTitle('Settings - High Availability', name)
  const features = useFeatures(instance.team.id)
  const { mutate, isPending } = useHa(instance)
  if (features?.['ha'] === false)
    return (
      <EmptyState icon={<Copy />} title="High Availability is not available">
        This platform or the type of this team leaves it out. Ask an administrator if your team needs it.
      </EmptyState>
    )
  const restarts =
    meta.state === 'suspended' ? '' : ' The instance is restarted: open WebSockets end, and context in memory is lost.'
  const change = async () => {
    const text = ha
      ? `The instance runs as one process again, and its editor is enabled.${restarts}`
      : `The instance runs as two processes, and its editor is disabled.${restarts}`
    const title = ha ? 'Disable High Availability' : 'Enable High Availability'
    if (await confirm({ title, message: text, confirmLabel: ha ? 'Disable' : 'Enable' })) mutate(!ha)
  }
  return (
    <div className="flex flex-col gap-4">
      <Card title="High Availability" padded>
        <div className="flex max-w-150 flex-col items-start gap-4">
          <p>
            {ha
              ? `This instance runs as ${ha.replicas} replicas. Requests are spread over them; when one crashes or restarts, the other answers.`
              : 'Two replicas of this instance answer its requests together. When one of them crashes or restarts, the other goes on.'}
          </p>
          <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
            <li>
              The editor is disabled, because a deploy reaches only one replica. Bring flows with a pipeline, a rollback
              or an import, which replace one replica after the other.
            </li>
            <li>Each replica runs all flows, so timers fire in both. They share the context store “persistent”.</li>
            <li>They share the files of the instance, and each uses the memory of the stack.</li>
          </ul>
          <Button variant={ha ? 'default' : 'primary'} loading={isPending} onClick={() => void change()}>
            {ha ? 'Disable High Availability' : 'Enable High Availability'}
          </Button>
        </div>
      </Card>
      {meta.replicas && (
        <Card title="Replicas">
          <DetailList items={meta.replicas.map((one) => ({ label: one.id, value: <State replica={one} /> }))} />
        </Card>
      )}
    </div>
  )
}

function State({ replica: { id, state, reason, restartAt } }: { replica: Replica }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <InstanceStatus instance={{ id: `replica-${id}`, meta: { state, isDeploying: false } }} />
      {reason && <span>{reason}</span>}
      {restartAt && (
        <span className="text-muted">
          starts again <RelativeTime time={restartAt} />
        </span>
      )}
    </span>
  )
}
