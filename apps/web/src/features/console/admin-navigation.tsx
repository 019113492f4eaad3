import {
  Boxes,
  ChartLine,
  DatabaseBackup,
  FileCog,
  HeartPulse,
  Layers2,
  LayoutDashboard,
  ListChecks,
  Package,
  ScrollText,
  Settings,
  UserRound,
  UsersRound,
} from 'lucide-react'
import type { NavSection } from '../../shell/nav-item.ts'

/** The side menu of the admin area [ADM-03]. */
export const adminNavigation: NavSection[] = [
  {
    heading: 'Admin Settings',
    items: [
      { to: '/admin/overview', label: 'Overview', icon: <LayoutDashboard aria-hidden /> },
      { to: '/admin/users', label: 'Users', icon: <UserRound aria-hidden /> },
      { to: '/admin/teams', label: 'Teams', icon: <UsersRound aria-hidden /> },
      { to: '/admin/team-types', label: 'Team Types', icon: <Layers2 aria-hidden /> },
      { to: '/admin/instance-types', label: 'Instance Types', icon: <Boxes aria-hidden /> },
      { to: '/admin/stacks', label: 'Stacks', icon: <Package aria-hidden /> },
      { to: '/admin/templates', label: 'Templates', icon: <FileCog aria-hidden /> },
      { to: '/admin/audit-log', label: 'Activity', icon: <ScrollText aria-hidden /> },
      { to: '/admin/settings', label: 'Settings', icon: <Settings aria-hidden /> },
    ],
  },
  {
    heading: 'Operations',
    items: [
      { to: '/admin/health', label: 'Health', icon: <HeartPulse aria-hidden /> },
      { to: '/admin/jobs', label: 'Jobs', icon: <ListChecks aria-hidden /> },
      { to: '/admin/backups', label: 'Backups', icon: <DatabaseBackup aria-hidden /> },
      { to: '/admin/statistics', label: 'Statistics', icon: <ChartLine aria-hidden /> },
    ],
  },
]
