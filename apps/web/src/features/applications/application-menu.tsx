import { Box, GitBranch, ScrollText, Settings, SquareTerminal } from 'lucide-react'
import type { NavItem } from '../../shell/nav-item.ts'

/** The pages of an application, in its menu; `features` is what the platform offers. */
export const applicationMenu = (id: string, features: Record<string, boolean> = {}): NavItem[] => [
  { to: `/application/${id}/instances`, label: 'Node-RED Instances', icon: <Box size={16} aria-hidden /> },
  {
    to: `/application/${id}/pipelines`,
    label: 'DevOps Pipelines',
    icon: <GitBranch size={16} aria-hidden />,
    unavailable: features['devops-pipelines'] === false,
  },
  { to: `/application/${id}/logs`, label: 'Node-RED Logs', icon: <SquareTerminal size={16} aria-hidden /> },
  { to: `/application/${id}/activity`, label: 'Audit Log', icon: <ScrollText size={16} aria-hidden /> },
  { to: `/application/${id}/settings`, label: 'Settings', icon: <Settings size={16} aria-hidden /> },
]
