import { Box, GitBranch, ScrollText, Settings, SquareTerminal, UsersRound } from 'lucide-react'
import type { NavItem } from '../../shell/nav-item.ts'

/**
 * The pages of an application, in its menu; `features` is what the platform offers. `seesMembers`: the person may see
 * the members of the team.
 */
export const applicationMenu = (id: string, features: Record<string, boolean> = {}, seesMembers = true): NavItem[] => [
  { to: `/application/${id}/instances`, label: 'Node-RED Instances', icon: <Box size={16} aria-hidden /> },
  {
    to: `/application/${id}/pipelines`,
    label: 'DevOps Pipelines',
    icon: <GitBranch size={16} aria-hidden />,
    unavailable: features['devops-pipelines'] === false,
  },
  { to: `/application/${id}/logs`, label: 'Node-RED Logs', icon: <SquareTerminal size={16} aria-hidden /> },
  { to: `/application/${id}/activity`, label: 'Audit Log', icon: <ScrollText size={16} aria-hidden /> },
  ...(features.applicationRoles === true && seesMembers
    ? [{ to: `/application/${id}/members`, label: 'Members', icon: <UsersRound size={16} aria-hidden /> }]
    : []),
  { to: `/application/${id}/settings`, label: 'Settings', icon: <Settings size={16} aria-hidden /> },
]
