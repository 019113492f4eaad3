import { roles } from '@app/contract/roles'
import { allows } from '@app/contract/scopes'
import { Box, Layers, ScrollText } from 'lucide-react'
import type { NavSection } from '../../shell/nav-item.ts'
import { applicationMenu } from '../applications/index.ts'
import type { Place } from './place.ts'

/** The side menu of a place, as far as the role reaches. */
export function navigationOf({ team, role, application }: Place): NavSection[] {
  if (!team || role < roles.viewer) return []
  const to = (page: string) => `/team/${team.slug}/${page}`
  const sections: NavSection[] = [
    {
      items: [
        { to: to('applications'), label: 'Applications', icon: <Layers aria-hidden /> },
        { to: to('instances'), label: 'Instances', icon: <Box aria-hidden /> },
      ],
    },
  ]
  if (application) sections.push({ heading: application.name, items: applicationMenu(application.id) })
  if (allows(role, 'team:edit')) {
    sections.push({
      heading: 'Team Admin',
      items: [{ to: to('audit-log'), label: 'Audit Log', icon: <ScrollText aria-hidden /> }],
    })
  }
  return sections
}
