import type { Instance } from '@app/contract'
import { CirclePause, Play, RotateCw, Trash2, Zap } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { Menu, type MenuEntry } from '../../../ui/Menu.tsx'
import { useChange } from '../changes.ts'
import { useInstanceAction } from '../instances.actions.ts'

/** Start, restart, suspend and delete, as far as the state and the role allow. */
export function ActionsMenu({
  instance,
  onDelete,
}: {
  instance: Pick<Instance, 'id' | 'name' | 'meta'>
  onDelete: () => void
}) {
  const mayChange = useCan('project:change-status')
  const mayDelete = useCan('project:delete')
  const { mutate: act } = useInstanceAction(instance)
  const pending = useChange(instance.id) !== undefined
  const { state } = instance.meta
  if (!mayChange) return null

  const asleep = pending || state === 'suspended'
  const items: MenuEntry[] = [
    { label: 'Start', icon: <Play size={16} />, disabled: pending || state === 'running', onSelect: () => act('start') },
    { label: 'Restart', icon: <RotateCw size={16} />, disabled: asleep, onSelect: () => act('restart') },
    { label: 'Suspend', icon: <CirclePause size={16} />, disabled: asleep, danger: true, onSelect: () => act('suspend') },
  ]
  const remove = async () => {
    if (await confirm(deletion(instance.name))) onDelete()
  }
  if (mayDelete) {
    items.push('divider', { label: 'Delete', icon: <Trash2 size={16} />, danger: true, onSelect: () => void remove() })
  }
  return <Menu items={items} trigger={<Button icon={<Zap size={16} aria-hidden />}>Actions</Button>} />
}

const deletion = (name: string) => ({
  title: 'Delete Instance',
  message: (
    <>
      This deletes <b>{name}</b> with its flows, its credentials and its log. It cannot be undone.
    </>
  ),
  confirmLabel: 'Delete',
  danger: true,
  typed: name,
})
