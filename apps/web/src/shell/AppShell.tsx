/*
 * The frame of every page behind sign-in: header, side navigation, main part. It knows no server: what it shows and
 * what happens on a click arrive as props.
 *
 * Links are paths ('/team/bakery/applications') rendered by ui/RouterLink, which is TanStack Router's Link. It marks
 * the current place itself (aria-current, data-status), also for pages below it, so nobody passes an `active` flag.
 * The shell must therefore stand inside the router, as the component of a layout route around <Outlet />.
 */
import { Menu as MenuIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { useStoredFlag } from '../lib/use-stored-flag.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { TooltipProvider } from '../ui/Tooltip.tsx'
import { Logo } from '../ui/Logo.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { RouterLink } from '../ui/RouterLink.tsx'
import { NavDrawer } from './NavDrawer.tsx'
import type { NavSection } from './nav-item.ts'
import { SideNav, SkeletonNav } from './SideNav.tsx'
import { type PickerTeam, TeamPicker } from './TeamPicker.tsx'
import { type ShellUser, UserMenu } from './UserMenu.tsx'

export type AppShellProps = {
  teams: PickerTeam[]
  currentTeam: PickerTeam | undefined
  /** Where a team is created; undefined when this person may not. */
  createTeamTo: string | undefined
  user: ShellUser
  userItems?: MenuItem[]
  notifications?: number
  onSignOut: () => void
  /** Empty on pages without a side navigation. */
  nav: NavSection[]
  /** It is not known yet where this is: the room for the team and for its navigation is kept. */
  pending?: boolean
  /** Edge to edge over the page: licence, visiting administrator. */
  banner?: ReactNode
  /** More for the header, before the user menu. */
  headerEnd?: ReactNode
  children: ReactNode
}

export function AppShell(props: AppShellProps) {
  const [minimised, setMinimised] = useStoredFlag('nav-minimised')
  const [drawer, setDrawer] = useState(false)
  const pending = props.pending === true && props.nav.length === 0
  const hasNav = pending || props.nav.length > 0
  return (
    <TooltipProvider>
      <div className="min-h-dvh">
        <a
          href="#main"
          className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
        >
          Skip to content
        </a>
        <header className="fixed inset-x-0 top-0 z-30 flex h-15 items-center gap-1 border-b bg-panel px-3 sm:gap-2 sm:px-4">
          {hasNav && (
            <IconButton
              label="Open navigation"
              aria-haspopup="dialog"
              aria-expanded={drawer}
              onClick={() => setDrawer(true)}
              className="lg:hidden"
            >
              <MenuIcon size={18} aria-hidden />
            </IconButton>
          )}
          <RouterLink
            to={props.currentTeam?.to ?? '/'}
            marksPlace={false}
            aria-label={props.currentTeam ? `FlowForge, ${props.currentTeam.name}` : 'FlowForge'}
            className="flex flex-none items-center gap-2 rounded-md p-1 font-semibold tracking-[-0.01em] sm:mr-1 sm:p-0"
          >
            <Logo />
            <span className="max-sm:hidden">FlowForge</span>
          </RouterLink>
          <span aria-hidden className="mx-1 h-5 w-px flex-none bg-line max-sm:hidden" />
          <TeamPicker
            teams={props.teams}
            current={props.currentTeam}
            createTo={props.createTeamTo}
            pending={props.pending}
          />
          <div className="ml-auto flex flex-none items-center gap-2">
            {props.headerEnd}
            <UserMenu
              user={props.user}
              items={props.userItems ?? []}
              notifications={props.notifications ?? 0}
              onSignOut={props.onSignOut}
            />
          </div>
        </header>
        {hasNav && (
          <>
            <nav
              aria-label="Main"
              className={cn(
                'fixed top-15 bottom-0 left-0 z-20 overflow-y-auto border-r bg-panel max-lg:hidden',
                minimised ? 'w-[54px]' : 'w-[275px]',
              )}
            >
              {pending ? (
                <SkeletonNav minimised={minimised} />
              ) : (
                <SideNav sections={props.nav} minimised={minimised} onMinimise={setMinimised} />
              )}
            </nav>
            <NavDrawer open={drawer} onClose={() => setDrawer(false)}>
              <SideNav sections={props.nav} onNavigate={() => setDrawer(false)} />
            </NavDrawer>
          </>
        )}
        <div className={cn('flex min-h-dvh flex-col pt-15', hasNav && (minimised ? 'lg:pl-[54px]' : 'lg:pl-[275px]'))}>
          {props.banner}
          <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col px-4 py-6 outline-none lg:px-8">
            {props.children}
          </main>
        </div>
      </div>
    </TooltipProvider>
  )
}
