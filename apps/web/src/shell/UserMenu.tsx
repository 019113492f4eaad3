import { ChevronDown, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import type { ThemeChoice } from '../lib/theme.ts'
import { useTheme } from '../lib/use-theme.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { CountPill } from '../ui/Badge.tsx'
import { Menu, type MenuItem } from '../ui/Menu.tsx'

export type ShellUser = { name: string; username: string; avatar?: string | undefined }

const themeOptions = [
  { value: 'system', label: 'System theme', icon: <Monitor size={14} aria-hidden /> },
  { value: 'light', label: 'Light theme', icon: <Sun size={14} aria-hidden /> },
  { value: 'dark', label: 'Dark theme', icon: <Moon size={14} aria-hidden /> },
]

/** The user menu: the user, links, the theme and Sign Out. */
export function UserMenu({
  user,
  items,
  notifications = 0,
  onSignOut,
}: {
  user: ShellUser
  items: MenuItem[]
  /** Things waiting for this person; a pill beside the name. */
  notifications?: number
  onSignOut: () => void
}) {
  const { theme, setTheme } = useTheme()
  return (
    <Menu
      label="User menu"
      header={
        <div className="-mx-1 mb-1 border-b px-3 pt-1 pb-2">
          <div className="truncate font-medium">{user.name}</div>
          <div className="truncate text-sm text-muted">{user.username}</div>
        </div>
      }
      items={[
        ...items,
        ...(items.length > 0 ? ['divider' as const] : []),
        {
          choose: {
            label: 'Theme',
            value: theme,
            onChange: (next) => setTheme(next as ThemeChoice),
            options: themeOptions,
          },
        },
        'divider',
        { label: 'Sign Out', icon: <LogOut size={16} aria-hidden />, onSelect: onSignOut },
      ]}
      trigger={
        <button
          type="button"
          className="flex flex-none items-center gap-2 rounded-md p-1.5 font-medium transition-colors hover:bg-hover aria-expanded:bg-hover sm:px-2"
        >
          <Avatar name={user.name} src={user.avatar} />
          <span className="sr-only sm:not-sr-only sm:max-w-48 sm:truncate">{user.name}</span>
          <CountPill count={notifications} label="notifications" />
          <ChevronDown size={16} aria-hidden />
        </button>
      }
    />
  )
}
