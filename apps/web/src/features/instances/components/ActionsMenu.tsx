import type { Instance } from '@app/contract'
import { allows, type Scope } from '@app/contract/scopes'
import { ChevronDown, Trash2, Zap } from 'lucide-react'
import { useRole } from '../../../lib/can.ts'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { Menu, type MenuEntry } from '../../../ui/Menu.tsx'
import { mayAct } from '../action-rights.ts'
import { useActionEntries } from './instance-actions.tsx'

/** Start, restart, suspend and delete, as far as the state and the role allow. */
export function ActionsMenu({
  instance,
  onDelete,
}: {
  instance: Pick<Instance, 'id' | 'name' | 'meta'>
  onDelete: () => void
}) {
  const role = useRole()
  const entries = useActionEntries(instance)
  const can = (scope: Scope) => allows(role, scope)
  if (!mayAct('page', can)) return null

  const remove = async () => {
    if (await confirm(deletionQuestion(instance.name))) onDelete()
  }
  const removal: MenuEntry[] = [
    'divider',
    { label: 'Delete', icon: <Trash2 size={16} aria-hidden />, danger: true, onSelect: () => void remove() },
  ]
  return (
    <Menu
      items={mayAct('removal', can) ? [...entries, ...removal] : entries}
      trigger={
        <Button icon={<Zap size={16} aria-hidden />}>
          Actions
          <ChevronDown size={16} aria-hidden />
        </Button>
      }
    />
  )
}

/** The question before an instance is deleted. */
export const deletionQuestion = (name: string) => ({
  title: 'Delete Instance',
  message: (
    <>
      This deletes <b>{name}</b>. Its flows stop at once. An owner can restore it for 7 days, under Recently deleted on
      the team’s Instances page. After that, its flows, credentials and log are removed permanently.
    </>
  ),
  confirmLabel: 'Delete',
  danger: true,
  typed: name,
})
