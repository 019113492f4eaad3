import type { Instance } from '@app/contract'
import { Ellipsis } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { useActionEntries } from './instance-actions.tsx'

/** Start, restart and suspend from a row. */
export function InstanceMenu({
  instance,
}: {
  instance: Pick<Instance, 'id' | 'name'> & Partial<Pick<Instance, 'meta'>>
}) {
  const entries = useActionEntries(instance)
  if (!useCan('project:change-status')) return null
  return (
    <Menu
      items={entries}
      trigger={
        <IconButton size="sm" label={`Actions for ${instance.name}`}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    />
  )
}
