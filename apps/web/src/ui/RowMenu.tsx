import { Ellipsis } from 'lucide-react'
import { IconButton } from './IconButton.tsx'
import { Menu, type MenuEntry } from './Menu.tsx'

/** The actions on a row or tile. */
export function RowMenu({ name, items }: { name: string; items: MenuEntry[] }) {
  const label = `Actions for ${name}`
  return (
    <Menu
      label={label}
      items={items}
      trigger={
        <IconButton label={label} size="sm">
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    />
  )
}
