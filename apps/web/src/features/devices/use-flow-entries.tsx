import type { Device } from '@app/contract'
import { CirclePause, Play, RotateCw } from 'lucide-react'
import { useCan } from '../../lib/can.ts'
import { confirm } from '../../ui/confirm.ts'
import type { MenuEntry } from '../../ui/Menu.tsx'
import { useDeviceAction } from './devices.actions.ts'

/** Start, Restart and Suspend as menu entries, disabled where the state of the device forbids them; none without the right. */
export function useFlowEntries({ id, name, status }: Device): MenuEntry[] {
  const { mutate: act, isPending } = useDeviceAction(id)
  if (!useCan('device:change-status')) return []
  const off = isPending || status === 'offline'
  const isSuspended = status === 'suspended'
  return [
    {
      label: 'Start',
      icon: <Play size={16} aria-hidden />,
      disabled: off || status === 'running',
      onSelect: () => act('start'),
    },
    {
      label: 'Restart',
      icon: <RotateCw size={16} aria-hidden />,
      disabled: off || isSuspended,
      onSelect: () => act('restart'),
    },
    {
      label: 'Suspend',
      icon: <CirclePause size={16} aria-hidden />,
      danger: true,
      disabled: off || isSuspended,
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
