import { Box, ScrollText, Settings, SquareTerminal } from 'lucide-react'

/** The pages of an application, in its menu. */
export const applicationMenu = (id: string) => [
  { to: `/application/${id}/instances`, label: 'Node-RED Instances', icon: <Box size={16} aria-hidden /> },
  { to: `/application/${id}/logs`, label: 'Node-RED Logs', icon: <SquareTerminal size={16} aria-hidden /> },
  { to: `/application/${id}/activity`, label: 'Audit Log', icon: <ScrollText size={16} aria-hidden /> },
  { to: `/application/${id}/settings`, label: 'Settings', icon: <Settings size={16} aria-hidden /> },
]
