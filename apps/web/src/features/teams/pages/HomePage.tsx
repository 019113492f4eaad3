import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { UsersRound } from 'lucide-react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { useMayCreateTeams, useUser } from '../../account/index.ts'
import { chooseTeam } from '../current-team.ts'
import { teamsQuery } from '../teams.queries.ts'

/** Leads to the current team; without one it says how to come to have one. */
export function HomePage() {
  usePageTitle('Home')
  const { defaultTeam } = useUser()
  const mayCreate = useMayCreateTeams()
  const { data: teams, error, refetch } = useQuery(teamsQuery)
  if (error && !teams) return <PageFailure error={error} onRetry={() => void refetch()} />
  if (!teams) return <Loading />
  const team = chooseTeam(teams, defaultTeam)
  if (team) return <Navigate to="/team/$slug/applications" params={{ slug: team.slug }} replace />
  return (
    <EmptyState
      level={1}
      icon={<UsersRound />}
      title="You need to be in a team to create projects."
      action={
        mayCreate && (
          <ButtonLink to="/team/create" variant="primary">
            Create a new team
          </ButtonLink>
        )
      }
    >
      {mayCreate
        ? 'Applications and their Node-RED instances belong to teams.'
        : 'Ask an Admin or Team Owner to add you to a team.'}
    </EmptyState>
  )
}
