import { roles } from '@app/contract/roles'
import { allows } from '@app/contract/scopes'
import { ArrowLeft, Box, ChartLine, Layers, ScrollText, Settings, UsersRound } from 'lucide-react'
import type { NavSection } from '../../shell/nav-item.ts'
import { accountNavigation } from '../account/index.ts'
import { applicationMenu } from '../applications/index.ts'
import type { Place } from './place.ts'

const adminNavigation: NavSection = {
  heading: 'Admin Settings',
  items: [
    { to: '/admin/statistics', label: 'Statistics', icon: <ChartLine aria-hidden /> },
    { to: '/admin/audit-log', label: 'Activity', icon: <ScrollText aria-hidden /> },
    { to: '/admin/settings', label: 'Settings', icon: <Settings aria-hidden /> },
  ],
}

/** The side menu of a place, as far as the role reaches. `invitations` is how many wait for the person. */
export function navigationOf({ team, role, application, area }: Place, invitations: number): NavSection[] {
  if (area) {
    const back = team && {
      to: `/team/${team.slug}/applications`,
      label: `Back to ${team.name}`,
      icon: <ArrowLeft aria-hidden />,
    }
    return [...(back ? [{ items: [back] }] : []), area === 'admin' ? adminNavigation : accountNavigation(invitations)]
  }
  if (!team || role < roles.viewer) return []
  const to = (page: string) => `/team/${team.slug}/${page}`
  const sections: NavSection[] = [
    {
      items: [
        { to: to('applications'), label: 'Applications', icon: <Layers aria-hidden /> },
        { to: to('instances'), label: 'Instances', icon: <Box aria-hidden /> },
        { to: to('members'), label: 'Members', icon: <UsersRound aria-hidden /> },
      ],
    },
  ]
  if (application) sections.push({ heading: application.name, items: applicationMenu(application.id) })
  if (allows(role, 'team:edit')) {
    sections.push({
      heading: 'Team Admin',
      items: [
        { to: to('audit-log'), label: 'Audit Log', icon: <ScrollText aria-hidden /> },
        { to: to('settings'), label: 'Team Settings', icon: <Settings aria-hidden /> },
      ],
    })
  }
  return sections
}
