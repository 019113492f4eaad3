import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { BookOpen, ShieldCheck, UserRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { openStream } from '../../../lib/realtime.ts'
import { prefetchWhenIdle } from '../../../lib/signed-in.ts'
import { AppShell } from '../../../shell/AppShell.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { HelpContext } from '../../../ui/help-context.ts'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { useInstancesAway, useMayCreateTeams, useSettings, useUser } from '../../account/index.ts'
import { teamsQuery, useFeatures } from '../../teams/index.ts'
import { BillingBanner } from '../../billing/index.ts'
import { useInvitationCount } from '../../invitations/index.ts'
import { useDocumentation, useHelp } from '../documentation.ts'
import { licenceNotice } from '../licence.ts'
import { navigationOf } from '../navigation.tsx'
import { type ConsoleLocation, useConsoleLocation } from '../location.ts'
import { Interview } from './Interview.tsx'
import { PaletteButton } from './PaletteButton.tsx'

const teamPage = ({ slug }: { slug: string }) => `/team/${slug}/applications`

/** The shell around every page behind sign-in, filled with who is there and where they are. */
export function PlatformLayout() {
  const user = useUser()
  const location = useConsoleLocation()
  const navigate = useNavigate()
  const { data: teams = [] } = useQuery(teamsQuery)
  const mayCreate = useMayCreateTeams()
  const invitations = useInvitationCount()
  const features = useFeatures(location.team?.id) ?? {}
  const userItems = useUserItems(user.admin, invitations)
  usePush(location)
  useEffect(() => prefetchWhenIdle(user.admin ? ['account', 'admin'] : ['account']), [user.admin])
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
      currentTeam={location.team && entry(location.team)}
      createTeamTo={mayCreate ? '/team/create' : undefined}
      pending={location.pending}
      nav={navigationOf(location, invitations, features)}
      userItems={userItems}
      notifications={invitations}
      headerEnd={<PaletteButton location={location} />}
      onSignOut={() => void navigate({ to: '/account/logout' })}
      banner={<Banners location={location} isAdmin={user.admin} />}
    >
      <HelpContext value={useHelp()}>
        <Outlet />
      </HelpContext>
      <Interview />
    </AppShell>
  )
}

function useUserItems(isAdmin: boolean, invitations: number): MenuItem[] {
  const documentation = useDocumentation()
  return [
    {
      label: 'User Settings',
      to: '/account/settings',
      icon: <UserRound size={16} aria-hidden />,
      count: invitations,
    },
    ...(isAdmin ? [{ label: 'Admin Settings', to: '/admin', icon: <ShieldCheck size={16} aria-hidden /> }] : []),
    { label: 'Documentation', href: documentation, icon: <BookOpen size={16} aria-hidden /> },
  ]
}

/** Notices on every page: about the licence, the payment of the team, and visiting another team. */
function Banners({
  location: { visiting, team, billing, role },
  isAdmin,
}: {
  location: ConsoleLocation
  isAdmin: boolean
}) {
  const licence = useSettings()?.license
  const away = useInstancesAway()
  const notice = licence && licenceNotice(licence, isAdmin)
  return (
    <>
      {away && (
        <Banner flush kind="error">
          {away}. Instances cannot be started, stopped or changed until it is back.
        </Banner>
      )}
      {notice && (
        <Banner flush kind={licence.expired ? 'error' : 'warning'}>
          {notice}
        </Banner>
      )}
      {team && <BillingBanner billing={billing} slug={team.slug} role={role} />}
      {visiting && (
        <Banner flush kind="warning">
          You are viewing this {visiting} as an Administrator
        </Banner>
      )}
    </>
  )
}

/** Keeps a push stream about the team whose pages are shown open as long as the shell shows. */
function usePush({ pending, team }: ConsoleLocation): void {
  const client = useQueryClient()
  // Undefined until it is known which team that is; while another page loads, the stream stays as it is.
  const [shown, setShown] = useState<{ team: string | undefined }>()
  if (!pending && (!shown || shown.team !== team?.id)) setShown({ team: team?.id })
  useEffect(() => (shown ? openStream(client, shown.team) : undefined), [client, shown])
}
