import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { UsersRound } from 'lucide-react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { plural } from '../../../lib/plural.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { useMayCreateTeams, useUser } from '../../account/index.ts'
import { chooseTeam } from '../current-team.ts'
import { invitationsQuery } from '../../invitations/index.ts'
import { teamsQuery } from '../teams.queries.ts'

/** Leads to the current team; without one it says how to come to have one. */
export function HomePage() {
  usePageTitle('Home')
  const { defaultTeam } = useUser()
  const { data: teams, error, refetch } = useQuery(teamsQuery)
  if (error && !teams) return <PageFailure error={error} onRetry={() => void refetch()} />
  if (!teams) return <Loading />
  const team = chooseTeam(teams, defaultTeam)
  if (team) return <Navigate to="/team/$slug/applications" params={{ slug: team.slug }} replace />
  return <NoTeam />
}

function NoTeam() {
  const mayCreate = useMayCreateTeams()
  const { data, isPending } = useQuery(invitationsQuery)
  const invitations = data?.length ?? 0
  if (isPending) return <Loading />
  return (
    <EmptyState
      level={1}
      icon={<UsersRound />}
      title="You need to be in a team to create projects."
      action={
        (mayCreate || invitations > 0) && (
          <>
            {invitations > 0 && (
              <ButtonLink to="/account/teams/invitations" variant="primary">
                {plural(invitations, 'invitation')}
              </ButtonLink>
            )}
            {mayCreate && (
              <ButtonLink to="/team/create" variant={invitations > 0 ? 'default' : 'primary'}>
                Create a new team
              </ButtonLink>
            )}
          </>
        )
      }
    >
      {invitations > 0 && 'You have been invited. '}
      {mayCreate || invitations > 0
        ? 'Applications and their Node-RED instances belong to teams.'
        : 'Ask an Admin or Team Owner to add you to a team.'}
    </EmptyState>
  )
}
