import type { Stage } from '@app/contract'
import { Pencil, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useCan } from '../../../lib/can.ts'
import { confirm } from '../../../ui/confirm.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { useNavigate } from '@tanstack/react-router'
import { endText, endTone } from '../../deployments/index.ts'
import { InstanceStatus } from '../../instances/index.ts'
import { useDeleteStage } from '../pipelines.queries.ts'

interface StageProps {
  applicationId: string
  pipelineId: string
  stage: Stage
}

/** A stage: its instance, how that does, and when something was deployed to it last. */
export function StageCard({ applicationId, pipelineId, stage }: StageProps) {
  const [instance] = stage.instances
  const { lastDeployment: last } = stage
  const deployed = last?.endedAt ?? instance?.flowLastUpdatedAt
  return (
    <li
      aria-label={stage.name}
      className="flex min-w-0 flex-col overflow-hidden rounded-lg border bg-panel lg:w-80"
      aria-busy={stage.isDeploying || undefined}
    >
      <div className="flex min-h-11 items-center gap-1 border-b py-1 pr-1.5 pl-3">
        <h3 className="min-w-0 flex-1 truncate font-semibold" title={stage.name}>
          {stage.name}
        </h3>
        {stage.isDeploying ? (
          <span className="grid size-7 place-items-center text-busy-text">
            <Spinner size={16} label="Deploying" />
          </span>
        ) : (
          <Tools applicationId={applicationId} pipelineId={pipelineId} stage={stage} />
        )}
      </div>
      {instance ? (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1.5 px-3 py-2.5 text-md">
          <Row label="Instance">
            <RouterLink to={`/instance/${instance.id}/overview`} className="rounded-sm font-medium hover:underline">
              {instance.name}
            </RouterLink>
          </Row>
          <Row label="URL">
            <a href={instance.url} target="_blank" rel="noreferrer" className="rounded-sm hover:underline">
              {instance.url.replace(/^https?:\/\//, '')}
            </a>
          </Row>
          <Row label="Last Deployed">
            {deployed ? <RelativeTime time={deployed} /> : 'never'}
            {last?.state === 'failed' && <span className="text-bad-text">, failed</span>}
            {last?.state === 'done' && endTone(last) === 'warn' && (
              <span className="text-warn-text">, {endText(last).replace(/^done,? /, '')}</span>
            )}
          </Row>
          <Row label="Status">
            <InstanceStatus instance={instance} />
          </Row>
        </dl>
      ) : (
        <p className="px-3 py-2.5 text-md text-muted">
          Its instance was deleted or moved to another application. Edit the stage to choose another.
        </p>
      )}
    </li>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  )
}

function Tools({ applicationId, pipelineId, stage }: StageProps) {
  const navigate = useNavigate()
  const { mutate: remove } = useDeleteStage(applicationId, pipelineId)
  const [mayEdit, mayDelete] = [useCan('pipeline:edit'), useCan('pipeline:delete')]
  const ask = async () => {
    const sure = await confirm({
      title: 'Delete Stage',
      message: (
        <>
          This takes <b>{stage.name}</b> out of the pipeline. Its instance is not changed, and the stage before it then
          pushes to the stage after it.
        </>
      ),
      confirmLabel: 'Delete',
      danger: true,
    })
    if (sure) remove(stage.id)
  }
  return (
    <>
      {mayEdit && (
        <IconButton
          size="sm"
          label={`Edit Stage ${stage.name}`}
          onClick={() =>
            void navigate({
              to: '/application/$applicationId/pipelines/$pipelineId/stages/$stageId/edit',
              params: { applicationId, pipelineId, stageId: stage.id },
            })
          }
        >
          <Pencil size={14} aria-hidden />
        </IconButton>
      )}
      {mayDelete && (
        <IconButton size="sm" label={`Delete Stage ${stage.name}`} onClick={() => void ask()}>
          <Trash2 size={14} aria-hidden />
        </IconButton>
      )}
    </>
  )
}
