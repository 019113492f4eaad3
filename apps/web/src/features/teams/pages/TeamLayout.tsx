import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { PageFailure } from '../../../lib/api-failure.tsx'
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
          <Outlet />
        </PaymentGate>
      </TeamAccess>
    </TeamContext>
  )
}
