import type { Instance } from '@app/contract'
import { allows } from '@app/contract/scopes'
import { Ellipsis } from 'lucide-react'
import { useRole } from '../../../lib/can.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { mayAct } from '../action-rights.ts'
import { useActionEntries } from './instance-actions.tsx'

/** Start, restart and suspend from a row. */
export function InstanceMenu({
  instance,
}: {
  instance: Pick<Instance, 'id' | 'name'> & Partial<Pick<Instance, 'meta'>>
}) {
  const entries = useActionEntries(instance)
  const role = useRole()
  if (!mayAct('list', (scope) => allows(role, scope))) return null
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
