import type { Instance } from '@app/contract'
import { CirclePause, Play, RotateCw } from 'lucide-react'
import type { MenuEntry } from '../../../ui/Menu.tsx'
import { useChange } from '../changes.ts'
import { type Action, useInstanceAction } from '../instances.actions.ts'
import { isUnsettled } from '../states.ts'

/** Start, Restart and Suspend as menu entries, disabled where the state forbids them [INST-31, INST-32]. */
export function useActionEntries(instance: Pick<Instance, 'id'> & Partial<Pick<Instance, 'meta'>>): MenuEntry[] {
  const { mutate } = useInstanceAction()
  const act = (action: Action) => mutate({ id: instance.id, action })
  const state = instance.meta?.state
  const pending = isUnsettled(state, useChange(instance.id) !== undefined)
  const off = pending || (state === 'suspended' && !instance.meta?.sleeping)
  return [
    {
      label: 'Start',
      icon: <Play size={16} aria-hidden />,
      disabled: pending || state === 'running',
      onSelect: () => act('start'),
    },
    { label: 'Restart', icon: <RotateCw size={16} aria-hidden />, disabled: off, onSelect: () => act('restart') },
    {
      label: 'Suspend',
      icon: <CirclePause size={16} aria-hidden />,
      danger: true,
      disabled: off,
      onSelect: () => act('suspend'),
    },
  ]
}
