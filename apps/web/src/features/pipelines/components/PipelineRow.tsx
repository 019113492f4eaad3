import type { Pipeline } from '@app/contract'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { Fragment, useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { plural } from '../../../lib/plural.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { useDeletePipeline, useRenamePipeline } from '../pipelines.queries.ts'
import { DeploymentProgress } from './DeploymentProgress.tsx'
import { RunStage } from './RunStage.tsx'
import { StageCard } from './StageCard.tsx'

/** A pipeline: its stages in the order of running, and what is deployed to them just now. */
export function PipelineRow({ applicationId, pipeline }: { applicationId: string; pipeline: Pipeline }) {
  const { id, name, stages } = pipeline
  const [editing, setEditing] = useState(false)
  const mayEdit = useCan('pipeline:edit')
  const last = stages.at(-1)
  const add = `/application/${applicationId}/pipelines/${id}/stages/create`
  return (
    <Card
      title={
        editing ? <Rename applicationId={applicationId} pipeline={pipeline} onEnd={() => setEditing(false)} /> : name
      }
      {...(editing ? {} : { note: plural(stages.length, 'stage') })}
      end={!editing && <Tools applicationId={applicationId} pipeline={pipeline} onEdit={() => setEditing(true)} />}
    >
      <div className="flex flex-col gap-4 p-4">
        <ol aria-label={`Stages of ${name}`} className="flex flex-col items-stretch gap-2 lg:flex-row lg:flex-wrap">
          {stages.map((stage, at) => (
            <Fragment key={stage.id}>
              <StageCard applicationId={applicationId} pipelineId={id} stage={stage} />
              {stages[at + 1] && (
                <RunStage applicationId={applicationId} pipelineId={id} source={stage} target={stages[at + 1]!} />
              )}
            </Fragment>
          ))}
          {mayEdit && (
            <li className="flex lg:w-36">
              <RouterLink
                to={add}
                search={last ? { sourceStage: last.id } : undefined}
                className="flex min-h-16 w-full flex-1 items-center justify-center gap-2 rounded-lg border border-dashed px-4 py-3 text-muted hover:bg-hover hover:text-ink"
              >
                <Plus size={16} aria-hidden />
                Add Stage
              </RouterLink>
            </li>
          )}
          {!mayEdit && stages.length === 0 && (
            <li className="text-muted">It has no stages yet. A team owner can add one.</li>
          )}
        </ol>
        {stages.map((stage) => (
          <DeploymentProgress key={stage.id} stage={stage} />
        ))}
      </div>
    </Card>
  )
}

function Tools({ applicationId, pipeline, onEdit }: { applicationId: string; pipeline: Pipeline; onEdit: () => void }) {
  const { mutate: remove } = useDeletePipeline(applicationId)
  const [mayRename, mayDelete] = [useCan('application:pipelines:update'), useCan('application:pipelines:delete')]
  const ask = async () => {
    const sure = await confirm({
      title: 'Delete Pipeline',
      message: (
        <>
          This deletes <b>{pipeline.name}</b> with its {plural(pipeline.stages.length, 'stage')}. The instances are not
          changed.
        </>
      ),
      confirmLabel: 'Delete',
      danger: true,
    })
    if (sure) remove(pipeline)
  }
  return (
    <>
      {mayRename && (
        <IconButton label="Edit Pipeline Name" onClick={onEdit}>
          <Pencil size={16} aria-hidden />
        </IconButton>
      )}
      {mayDelete && (
        <IconButton label="Delete Pipeline" onClick={() => void ask()}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      )}
    </>
  )
}

function Rename({ applicationId, pipeline, onEnd }: { applicationId: string; pipeline: Pipeline; onEnd: () => void }) {
  const [name, setName] = useState(pipeline.name)
  const { mutate: rename, isPending } = useRenamePipeline(applicationId, pipeline.id)
  const unchanged = name.trim() === '' || name.trim() === pipeline.name
  return (
    <form
      className="flex flex-wrap items-center gap-2 text-base font-normal"
      onSubmit={(event) => {
        event.preventDefault()
        if (!unchanged) rename(name.trim(), { onSuccess: onEnd })
      }}
    >
      <Input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just pressed the button to edit it
        autoFocus
        aria-label="Pipeline Name"
        className="w-60"
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
      />
      <Button onClick={onEnd}>Cancel</Button>
      <Button type="submit" variant="primary" disabled={unchanged} loading={isPending}>
        Save
      </Button>
    </form>
  )
}
