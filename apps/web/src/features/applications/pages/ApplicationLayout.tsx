import { Outlet, useLocation, useMatchRoute, useParams } from '@tanstack/react-router'
import { hasStatus } from '../../../lib/api.ts'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { TeamAccess } from '../../teams/index.ts'
import { ApplicationContext } from '../application-context.ts'
import { applicationMenu } from '../application-menu.tsx'
import { useApplication } from '../applications.queries.ts'

/** Around every page of an application. */
export function ApplicationLayout() {
  const { applicationId: id } = useParams({ from: '/platform/application/$applicationId' })
  const { data: application, error, refetch } = useApplication(id)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const page = applicationMenu(id).find(({ to }) => path.startsWith(to))
  const creating = useMatchRoute()({ to: '/application/$applicationId/instances/create' })
  // Somebody may delete it while its page is open.
  if (error && (!application || hasStatus(error, 404)))
    return <PageFailure error={error} onRetry={() => void refetch()} />
  const loading = <SkeletonCard rows={4} />
  if (!application) return loading
  return (
    <ApplicationContext value={application}>
      <TeamAccess teamId={application.teamId} loading={loading}>
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
              <Tabs label="Application" items={applicationMenu(id).map(({ to, label }) => ({ to, label }))} bleed />
            </div>
          </>
        )}
        <Outlet />
      </TeamAccess>
    </ApplicationContext>
  )
}
