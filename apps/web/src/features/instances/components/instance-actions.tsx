import type { Instance } from '@app/contract'
import { CirclePause, Play, RotateCw } from 'lucide-react'
import type { MenuEntry } from '../../../ui/Menu.tsx'
import { useChange } from '../changes.ts'
import { useInstanceAction } from '../instances.actions.ts'
import { type Action, actionObstacle } from '../states.ts'

/** Start, Restart and Suspend as menu entries, with the reason where the state forbids them [INST-31, INST-32]. */
export function useActionEntries(instance: Pick<Instance, 'id'> & Partial<Pick<Instance, 'meta'>>): MenuEntry[] {
  const { mutate } = useInstanceAction()
  const act = (action: Action) => mutate({ id: instance.id, action })
  const pending = useChange(instance.id) !== undefined
  const obstacle = (action: Action) => actionObstacle(action, instance.meta, pending)
  return [
    {
      label: 'Start',
      icon: <Play size={16} aria-hidden />,
      obstacle: obstacle('start'),
      onSelect: () => act('start'),
    },
    {
      label: 'Restart',
      icon: <RotateCw size={16} aria-hidden />,
      obstacle: obstacle('restart'),
      onSelect: () => act('restart'),
    },
    {
      label: 'Suspend',
      icon: <CirclePause size={16} aria-hidden />,
      danger: true,
      obstacle: obstacle('suspend'),
      onSelect: () => act('suspend'),
    },
  ]
}
