import { useParams, useSearch } from '@tanstack/react-router'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { NotFound } from '../../../shell/NotFound.tsx'
import { useApplicationInstances, useCurrentApplication } from '../../applications/index.ts'
import { RequirePipelines } from '../components/RequirePipelines.tsx'
import { StageForm } from '../components/StageForm.tsx'
import { usePipelines } from '../pipelines.queries.ts'

/** Another stage of a pipeline, behind the one that `sourceStage` names [PIPE-07]. */
export function CreateStagePage() {
  const { pipelineId } = useParams({ strict: false }) as { pipelineId: string }
  const { sourceStage } = useSearch({ strict: false }) as { sourceStage?: string }
  return (
    <RequirePipelines changes>
      <StagePage title="Add Stage" pipelineId={pipelineId} source={sourceStage} />
    </RequirePipelines>
  )
}

/** Another name or instance for a stage. */
export function EditStagePage() {
  const { pipelineId, stageId } = useParams({ strict: false }) as { pipelineId: string; stageId: string }
  return (
    <RequirePipelines changes>
      <StagePage title="Edit Stage" pipelineId={pipelineId} stageId={stageId} />
    </RequirePipelines>
  )
}

function StagePage({
  title,
  pipelineId,
  stageId,
  source,
}: {
  title: string
  pipelineId: string
  stageId?: string
  source?: string | undefined
}) {
  const { id } = useCurrentApplication()
  const list = usePipelines(id)
  const instances = useApplicationInstances(id)
  const pipeline = list.data?.pipelines.find((one) => one.id === pipelineId)
  const stage = pipeline?.stages.find((one) => one.id === stageId)
  usePageTitle(title, pipeline?.name)
  const error = list.error ?? instances.error
  if (error && !(list.data && instances.data))
    return <Failure error={error} onRetry={() => void Promise.all([list.refetch(), instances.refetch()])} />
  if (!list.data || !instances.data) return <SkeletonCard rows={3} />
  // [PIPE-08]
  if (!pipeline || (stageId !== undefined && !stage)) return <NotFound />
  return (
    <>
      <SectionTitle title={title} note={`Pipeline ${pipeline.name}`} />
      <StageForm
        key={stageId}
        pipeline={pipeline}
        instances={instances.data.instances}
        source={source}
        {...(stage ? { stage } : {})}
      />
    </>
  )
}
