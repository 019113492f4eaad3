import { GitBranch, Plus } from 'lucide-react'
import { Failure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { useCurrentApplication } from '../../applications/index.ts'
import { PipelineRow } from '../components/PipelineRow.tsx'
import { RequirePipelines } from '../components/RequirePipelines.tsx'
import { useOutcomes } from '../deploying.ts'
import { usePipelines } from '../pipelines.queries.ts'

/** The pipelines of an application, each with its stages [PIPE-01]. */
export function PipelinesPage() {
  const { name } = useCurrentApplication()
  usePageTitle('DevOps Pipelines', name)
  return (
    <RequirePipelines>
      <Pipelines />
    </RequirePipelines>
  )
}

function Pipelines() {
  const { id } = useCurrentApplication()
  const { data, error, refetch } = usePipelines(id)
  const mayCreate = useCan('application:pipelines:create')
  useOutcomes(data)
  const create = mayCreate && (
    <ButtonLink variant="primary" icon={<Plus size={16} aria-hidden />} to={`/application/${id}/pipelines/create`}>
      Add Pipeline
    </ButtonLink>
  )
  const isEmpty = data?.pipelines.length === 0
  return (
    <div className="flex flex-col gap-4">
      <SectionTitle
        title="DevOps Pipelines"
        note="Move flows from one instance to the next, from development to production."
        action={data && !isEmpty && create}
      />
      {data ? (
        data.pipelines.map((pipeline) => <PipelineRow key={pipeline.id} applicationId={id} pipeline={pipeline} />)
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} needs="Member" />
      ) : (
        <SkeletonCard rows={4} />
      )}
      {isEmpty && (
        <EmptyState icon={<GitBranch />} title="This application has no pipelines yet" action={create}>
          Promote tested flows from one instance to the next. Preview every change; failed pushes roll back.
          {!mayCreate && ' A team owner can add one.'}
        </EmptyState>
      )}
    </div>
  )
}
