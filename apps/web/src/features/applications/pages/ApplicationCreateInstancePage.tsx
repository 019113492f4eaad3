import { useNavigate, useSearch } from '@tanstack/react-router'
import { NeedsRole, PageFailure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { useInstance } from '../../instances/index.ts'
import { useCurrentApplication } from '../application-context.ts'
import { NewInstance } from '../components/NewInstance.tsx'

/** A new instance in this application. */
export function ApplicationCreateInstancePage() {
  const { id, name, teamId } = useCurrentApplication()
  usePageTitle('Create Instance', name)
  const navigate = useNavigate()
  const { sourceInstanceId } = useSearch({ strict: false }) as { sourceInstanceId?: string }
  const source = useInstance(sourceInstanceId)
  if (!useCan('project:create')) return <NeedsRole least="Owner" />
  if (source.error) return <PageFailure error={source.error} onRetry={() => void source.refetch()} />
  return (
    <>
      <PageHeader
        breadcrumb={<Breadcrumb items={[{ label: name, to: `/application/${id}/instances` }]} />}
        title={source.data ? `Duplicate ${source.data.name}` : 'Create Instance'}
        description="A separate Node-RED with its own address and editor."
      />
      {sourceInstanceId && !source.data ? (
        <SkeletonCard rows={5} />
      ) : (
        <NewInstance
          application={id}
          teamId={teamId}
          source={source.data}
          onCancel={() => void navigate({ to: '/application/$applicationId/instances', params: { applicationId: id } })}
        />
      )}
    </>
  )
}
