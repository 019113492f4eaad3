import type { Device } from '@app/contract'
import { KeyRound, Link2, Pencil, Trash2, Unlink } from 'lucide-react'
import type { ReactElement } from 'react'
import type { MenuEntry } from '../../ui/Menu.tsx'

type Act = (device: Device) => void
/** Actions on a device; an absent one is not for this person, or not on this page. */
export interface DeviceActions {
  edit?: Act
  assign?: Act
  unassign?: Act
  renew?: Act
  remove?: Act
}

/** The actions on a device as the entries of its menu [DEV-10]. */
export function menuOf(device: Device, { edit, assign, unassign, renew, remove }: DeviceActions): MenuEntry[] {
  const entry = (label: string, icon: ReactElement, act: Act | undefined, when = true): MenuEntry[] =>
    act && when ? [{ label, icon, onSelect: () => act(device) }] : []
  const removal = { label: 'Delete Device', icon: <Trash2 size={16} aria-hidden />, danger: true }
  return [
    ...entry('Edit Details', <Pencil size={16} aria-hidden />, edit),
    ...entry('Add to Instance', <Link2 size={16} aria-hidden />, assign, !device.instance),
    ...entry('Remove from Application Instance', <Unlink size={16} aria-hidden />, unassign, !!device.instance),
    ...entry('Regenerate Credentials', <KeyRound size={16} aria-hidden />, renew),
    ...(remove ? ['divider' as const, { ...removal, onSelect: () => remove(device) }] : []),
  ]
}
