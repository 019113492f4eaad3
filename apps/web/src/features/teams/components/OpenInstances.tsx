import type { OpenInstance } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { ButtonAnchor } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { NotAllowed } from '../../../ui/ErrorState.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { StatusBadge } from '../../../ui/StatusBadge.tsx'
import { openInstancesQuery } from '../teams.queries.ts'

/** In the place of every page of a team, for dashboard users: what they may open, if there is anything. */
export function OpenInstances({ teamId }: { teamId: string }) {
  usePageTitle('Dashboards')
  const { data, error, refetch } = useQuery(openInstancesQuery(teamId))
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonCard rows={4} />
  // Instances with a dashboard first: people come for that.
  const instances = data.projects.toSorted((a, b) => Number(b.dashboards.length > 0) - Number(a.dashboards.length > 0))
  return (
    <>
      {instances.length > 0 ? (
        <>
          <PageHeader
            title="Dashboards"
            description="You have a dashboard-only role in this team. Each page opens in a new tab."
          />
          <Card title="Instances" note={data.count}>
            <ul className="divide-y">
              {instances.map((instance) => (
                <Line key={instance.id} instance={instance} />
              ))}
            </ul>
          </Card>
        </>
      ) : (
        <>
          <h1 className="sr-only">No Access</h1>
          <NotAllowed>
            <p>You have a dashboard-only role in this team.</p>
            <p>A team owner can give you the role Viewer or more.</p>
          </NotAllowed>
        </>
      )}
    </>
  )
}

function Line({ instance: { name, application, url, state, sleeping, dashboards } }: { instance: OpenInstance }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-4 py-2.5 sm:grid-cols-[minmax(0,1fr)_140px_minmax(160px,auto)]">
      <div className="min-w-0">
        <div className="truncate font-medium">
          {name} <span className="font-normal text-muted">· {application}</span>
        </div>
        <div className="mono truncate text-muted">{url.replace(/^https?:\/\//, '')}</div>
      </div>
      <div className="max-sm:justify-self-end">
        <StatusBadge state={sleeping ? 'sleeping' : state} />
      </div>
      <div className="flex flex-wrap gap-2 max-sm:col-span-2 sm:justify-end">
        {dashboards.map((href) => (
          <ButtonAnchor
            key={href}
            size="sm"
            href={href}
            aria-label={`Open ${href.slice(url.length)} of ${name}`}
            icon={<ExternalLink size={14} aria-hidden />}
          >
            {dashboards.length > 1 ? `Open ${href.slice(url.length)}` : 'Open dashboard'}
          </ButtonAnchor>
        ))}
        {dashboards.length === 0 && (
          <ButtonAnchor
            size="sm"
            href={url}
            aria-label={`Open the pages of ${name}`}
            icon={<ExternalLink size={14} aria-hidden />}
          >
            Open
          </ButtonAnchor>
        )}
      </div>
    </li>
  )
}
