import { KeyRound, UserRound, UsersRound } from 'lucide-react'
import type { NavSection } from '../../shell/nav-item.ts'
import type { Tab } from '../../ui/Tabs.tsx'

/*
 * Where everything of the account area stands. A page more is one tab here, below the section it belongs to, and one
 * route in routes/account.routes.tsx.
 */

export const securityTabs: Tab[] = [
  { to: '/account/security/password', label: 'Password' },
  { to: '/account/security/second-factor', label: 'Second factor' },
  { to: '/account/security/sessions', label: 'Sessions' },
  { to: '/account/security/tokens', label: 'Access tokens' },
]

/** Both tabs of the teams; `invitations` is how many wait for an answer. */
export const teamTabs = (invitations: number): Tab[] => [
  { to: '/account/teams', label: 'Teams', exact: true },
  { to: '/account/teams/invitations', label: 'Invitations', count: invitations },
]

/** The side menu of the account area [ACCT-06]. */
export const accountNavigation = (invitations: number): NavSection => ({
  heading: 'User Settings',
  items: [
    { to: '/account/settings', label: 'Settings', icon: <UserRound aria-hidden /> },
    { to: '/account/teams', label: 'Teams', icon: <UsersRound aria-hidden />, count: invitations },
    { to: '/account/security', label: 'Security', icon: <KeyRound aria-hidden /> },
  ],
})

/** Every page of the account area, for the palette. */
export const accountPages: { label: string; to: string }[] = [
  { label: 'User Settings', to: '/account/settings' },
  { label: 'My teams', to: '/account/teams' },
  { label: 'Invitations', to: '/account/teams/invitations' },
  ...securityTabs.map(({ label, to }) => ({ label, to })),
  { label: 'Sign Out', to: '/account/logout' },
]
