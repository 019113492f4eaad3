import { limited } from '@app/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useParams } from '@tanstack/react-router'
import { NoAccess, PageFailure } from '../../../lib/api-failure.tsx'
import { useRole } from '../../../lib/can.ts'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { PaymentGate } from '../../billing/index.ts'
import { TeamAccess } from '../components/TeamAccess.tsx'
import { TeamContext } from '../team-context.ts'
import { teamBySlugQuery } from '../teams.queries.ts'

/** Around every page of a team. */
export function TeamLayout() {
  const { slug } = useParams({ from: '/platform/team/$slug' })
  const { data: team, error, refetch } = useQuery(teamBySlugQuery(slug))
  if (error && !team) return <PageFailure error={error} onRetry={() => void refetch()} />
  const loading = <SkeletonCard rows={4} />
  if (!team) return loading
  return (
    <TeamContext value={team}>
      <TeamAccess teamId={team.id} loading={loading}>
        <PaymentGate team={team} loading={loading}>
          <Pages slug={slug} />
        </PaymentGate>
      </TeamAccess>
    </TeamContext>
  )
}

/** The pages of a team that have something for limited members. */
const open = ['applications', 'instances', 'devices', 'performance']

function Pages({ slug }: { slug: string }) {
  const isLimited = useRole() === limited
  const path = useLocation({ select: ({ pathname }) => pathname })
  if (!isLimited || open.some((page) => path.startsWith(`/team/${slug}/${page}`))) return <Outlet />
  return (
    <NoAccess>
      <p>You have access to single applications of this team.</p>
      <p>A team owner can give you a role in the team.</p>
    </NoAccess>
  )
}
