import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { useEffect } from 'react'
import { openStream } from '../../../lib/realtime.ts'
import { AppShell } from '../../../shell/AppShell.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { useMayCreateTeams, useUser } from '../../account/index.ts'
import { teamsQuery } from '../../teams/index.ts'
import { navigationOf } from '../navigation.tsx'
import { usePlace } from '../place.ts'
import { PaletteButton } from './PaletteButton.tsx'

const teamPage = ({ slug }: { slug: string }) => `/team/${slug}/applications`

/** The shell around every page behind sign-in, filled with who is there and where they are. */
export function PlatformLayout() {
  const user = useUser()
  const place = usePlace()
  const navigate = useNavigate()
  const { data: teams = [] } = useQuery(teamsQuery)
  const mayCreate = useMayCreateTeams()
  usePush(place.visiting && place.team?.id)
  const entry = (team: { id: string; name: string; slug: string; avatar: string }) => ({
    id: team.id,
    name: team.name,
    avatar: team.avatar,
    to: teamPage(team),
  })
  return (
    <AppShell
      user={user}
      teams={teams.map(entry)}
      currentTeam={place.team && entry(place.team)}
      createTeamTo={mayCreate ? '/team/create' : undefined}
      nav={navigationOf(place)}
      userItems={[{ label: 'Documentation', href: '/api/', icon: <BookOpen size={16} aria-hidden /> }]}
      headerEnd={<PaletteButton place={place} />}
      onSignOut={() => void navigate({ to: '/account/logout' })}
      banner={
        place.visiting && (
          <Banner flush kind="warning">
            You are viewing this {place.visiting} as an Administrator
          </Banner>
        )
      }
    >
      <Outlet />
    </AppShell>
  )
}

/** Keeps the push stream open as long as the shell shows; a visited team is added to the own ones. */
function usePush(visitedTeam: string | undefined): void {
  const client = useQueryClient()
  useEffect(() => openStream(client, visitedTeam), [client, visitedTeam])
}
