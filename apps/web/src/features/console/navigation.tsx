import { limited, roles } from '@app/contract/roles'
import { allows } from '@app/contract/scopes'
import {
  ArrowLeft,
  Box,
  ChartLine,
  Cpu,
  CreditCard,
  Layers,
  LibraryBig,
  Plus,
  ScrollText,
  Settings,
  UsersRound,
} from 'lucide-react'
import type { NavItem, NavSection } from '../../shell/nav-item.ts'
import { accountNavigation } from '../account/index.ts'
import { applicationMenu } from '../applications/index.ts'
import { adminNavigation } from './admin-navigation.tsx'
import type { ConsoleLocation } from './location.ts'

const library = (to: string, features: Record<string, boolean>): NavItem => ({
  to,
  label: 'Library',
  icon: <LibraryBig aria-hidden />,
  unavailable: features['shared-library'] === false,
})

/**
 * The side menu of a location, as far as the role reaches. `invitations` is how many wait for the person, `features` what
 * the platform offers.
 */
export function navigationOf(
  { team, role, pending, application, thing, area }: ConsoleLocation,
  invitations: number,
  features: Record<string, boolean>,
): NavSection[] {
  if (area) {
    const back = (team || pending) && {
      to: team ? `/team/${team.slug}/applications` : '/',
      label: team ? `Back to ${team.name}` : 'Back',
      icon: <ArrowLeft aria-hidden />,
      avatar: team && { name: team.name, src: team.avatar },
    }
    // Without a team there is nothing to go back to, and an administrator makes one [ADM-05].
    const create = area === 'admin' && { to: '/team/create', label: 'Create Team', icon: <Plus aria-hidden /> }
    const way = back || create
    const pages = area === 'admin' ? adminNavigation : [accountNavigation(invitations)]
    return [...(way ? [{ items: [way] }] : []), ...pages]
  }
  // Limited members have the pages of their applications, and none of the team's own.
  const isLimited = role === limited
  if (!team || (role < roles.viewer && !isLimited)) return []
  const to = (page: string) => `/team/${team.slug}/${page}`
  const sections: NavSection[] = [
    {
      items: [
        { to: to('applications'), label: 'Applications', icon: <Layers aria-hidden /> },
        { to: to('instances'), label: 'Instances', icon: <Box aria-hidden />, current: thing === 'instance' },
        ...(features.devices === true
          ? [{ to: to('devices'), label: 'Devices', icon: <Cpu aria-hidden />, current: thing === 'device' }]
          : []),
        // A viewer finds there who may see it [TEAM-19].
        ...(isLimited ? [] : [library(to('library'), features)]),
        { to: to('performance'), label: 'Performance', icon: <ChartLine aria-hidden /> },
        ...(isLimited ? [] : [{ to: to('members'), label: 'Members', icon: <UsersRound aria-hidden /> }]),
      ],
    },
  ]
  if (application)
    sections.push({ heading: application.name, items: applicationMenu(application.id, features, !isLimited) })
  if (allows(role, 'team:edit')) {
    sections.push({
      heading: 'Team Admin',
      items: [
        { to: to('audit-log'), label: 'Audit Log', icon: <ScrollText aria-hidden /> },
        ...(features['billing'] === true
          ? [{ to: to('billing'), label: 'Billing', icon: <CreditCard aria-hidden /> }]
          : []),
        { to: to('settings'), label: 'Team Settings', icon: <Settings aria-hidden /> },
      ],
    })
  }
  return sections
}
