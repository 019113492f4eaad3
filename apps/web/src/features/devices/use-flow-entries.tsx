import type { Device } from '@app/contract'
import { CirclePause, Play, RotateCw } from 'lucide-react'
import { useCan } from '../../lib/can.ts'
import { confirm } from '../../ui/confirm.ts'
import type { MenuEntry } from '../../ui/Menu.tsx'
import { useDeviceAction } from './devices.actions.ts'

/** Start, Restart and Suspend as menu entries, with the reason where the state of the device forbids them; none without the right. */
export function useFlowEntries({ id, name, status }: Device): MenuEntry[] {
  const { mutate: act, isPending } = useDeviceAction(id)
  if (!useCan('device:change-status')) return []
  const away = isPending ? 'Another action is under way.' : status === 'offline' ? 'The device is offline.' : undefined
  const stopped = away ?? (status === 'suspended' ? 'The device is suspended.' : undefined)
  return [
    {
      label: 'Start',
      icon: <Play size={16} aria-hidden />,
      obstacle: away ?? (status === 'running' ? 'Its flows are running.' : undefined),
      onSelect: () => act('start'),
    },
    {
      label: 'Restart',
      icon: <RotateCw size={16} aria-hidden />,
      obstacle: stopped,
      onSelect: () => act('restart'),
    },
    {
      label: 'Suspend',
      icon: <CirclePause size={16} aria-hidden />,
      danger: true,
      obstacle: stopped,
      onSelect: () => void confirm(question(name)).then((sure) => sure && act('suspend')),
    },
  ]
}

const question = (name: string) => ({
  title: 'Suspend Device',
  message: (
    <>
      The flows of <b>{name}</b> stop, and stay stopped after a reboot until somebody starts them.
    </>
  ),
  confirmLabel: 'Suspend',
  danger: true,
})
