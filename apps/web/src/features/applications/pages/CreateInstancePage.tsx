import { Navigate, useNavigate } from '@tanstack/react-router'
import { NeedsRole, PageFailure } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Field } from '../../../ui/Form.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { Select } from '../../../ui/Select.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { useTeam } from '../../teams/index.ts'
import { useTeamApplications } from '../applications.queries.ts'
import { NewInstance } from '../components/NewInstance.tsx'

/** A new instance in one of the team's applications. */
export function CreateInstancePage() {
  const team = useTeam()
  usePageTitle('Create Instance', team.name)
  const navigate = useNavigate()
  const mayCreate = useCan('project:create')
  const { data, error, refetch } = useTeamApplications(team.id)
  if (!mayCreate) return <NeedsRole least="Owner" />
  if (error && !data) return <PageFailure error={error} onRetry={() => void refetch()} />
  const header = (
    <PageHeader title="Create Instance" description="A separate Node-RED with its own address and editor." />
  )
  if (!data)
    return (
      <>
        {header}
        <SkeletonCard rows={5} />
      </>
    )

  const [first] = data.applications
  const params = { slug: team.slug }
  if (!first) return <Navigate to="/team/$slug/applications/create" params={params} replace />
  const options = data.applications.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      {header}
      <NewInstance
        teamId={team.id}
        application={options.length === 1 ? first.id : ''}
        onCancel={() => void navigate({ to: '/team/$slug/instances', params })}
        first={(form) => (
          <Field form={form} name="application" label="Application">
            {(field) => <Select {...field} options={options} placeholder="Choose an application" />}
          </Field>
        )}
      />
    </>
  )
}
