import { useNavigate } from '@tanstack/react-router'
import { NeedsRole } from '../../../lib/api-failure.tsx'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { useCurrentApplication } from '../application-context.ts'
import { NewInstance } from '../components/NewInstance.tsx'

/** A new instance in this application. */
export function ApplicationCreateInstancePage() {
  const { id, name } = useCurrentApplication()
  usePageTitle('Create Instance', name)
  const navigate = useNavigate()
  if (!useCan('project:create')) return <NeedsRole least="Owner" />
  return (
    <>
      <PageHeader
        breadcrumb={<Breadcrumb items={[{ label: name, to: `/application/${id}/instances` }]} />}
        title="Create Instance"
        description="A Node-RED of its own, with its own address and editor."
      />
      <NewInstance
        application={id}
        onCancel={() => void navigate({ to: '/application/$applicationId/instances', params: { applicationId: id } })}
      />
    </>
  )
}
