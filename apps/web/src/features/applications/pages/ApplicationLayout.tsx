import { Outlet, useLocation, useMatchRoute, useParams } from '@tanstack/react-router'
import { hasStatus } from '../../../lib/api.ts'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { Skeleton, SkeletonCard } from '../../../ui/Skeleton.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { useCanInTeam } from '../../../lib/can.ts'
import { useSettings } from '../../account/index.ts'
import { TeamAccess } from '../../teams/index.ts'
import { ApplicationContext } from '../application-context.ts'
import { applicationMenu } from '../application-menu.tsx'
import { useApplication } from '../applications.queries.ts'

/** Around every page of an application. */
export function ApplicationLayout() {
  const { applicationId: id } = useParams({ from: '/platform/application/$applicationId' })
  const { data: application, error, refetch } = useApplication(id)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const features = useSettings()?.features ?? {}
  const page = applicationMenu(id, features).find(({ to }) => path.startsWith(to))
  const creating = useMatchRoute()({ to: '/application/$applicationId/instances/create' })
  // Somebody may delete it while its page is open.
  if (error && (!application || hasStatus(error, 404)))
    return <PageFailure error={error} onRetry={() => void refetch()} />
  const loading = (
    <>
      {creating && <PageHeader breadcrumb={<Skeleton className="my-0.75 w-20" />} title="Create Instance" />}
      <SkeletonCard rows={4} />
    </>
  )
  if (!application) return loading
  return (
    <ApplicationContext value={application}>
      <TeamAccess teamId={application.teamId} applicationId={id} loading={loading}>
        {!creating && (
          <>
            <PageHeader
              breadcrumb={
                <Breadcrumb items={[{ label: 'Applications', to: `/team/${application.team.slug}/applications` }]} />
              }
              title={application.name}
              description={page?.label}
            />
            {/* From 1024 px these stand in the side menu. */}
            <div className="mb-5 lg:hidden">
              <ApplicationTabs id={id} />
            </div>
          </>
        )}
        <Outlet />
      </TeamAccess>
    </ApplicationContext>
  )
}

/** The pages of the application, for narrow windows. */
function ApplicationTabs({ id }: { id: string }) {
  const features = useSettings()?.features ?? {}
  const seesMembers = useCanInTeam('team:user:list')
  const items = applicationMenu(id, features, seesMembers).map(({ to, label }) => ({ to, label }))
  return <Tabs label="Application" items={items} bleed />
}
