import { Ellipsis } from 'lucide-react'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu, type MenuItem } from '../../../ui/Menu.tsx'

/** The actions on a row or tile. */
export function RowMenu({ name, items }: { name: string; items: MenuItem[] }) {
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
