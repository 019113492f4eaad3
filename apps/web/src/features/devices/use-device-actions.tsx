import type { Device, DeviceCredentials } from '@app/contract'
import { intervals } from '@app/contract/constants'
import { type ReactNode, useMemo, useState } from 'react'
import { useCan } from '../../lib/can.ts'
import { confirm } from '../../ui/confirm.ts'
import { AssignDialog } from './components/AssignDialog.tsx'
import { CredentialsDialog } from './components/CredentialsDialog.tsx'
import { AddDeviceDialog, EditDeviceDialog } from './components/DeviceDialog.tsx'
import type { DeviceActions } from './device-menu.tsx'
import { useDeleteDevice, useUnassignDevice } from './devices.actions.ts'
import type { Owner } from './devices.queries.ts'

type Open =
  | { what: 'edit' | 'assign'; device: Device }
  | { what: 'credentials'; device: Pick<Device, 'id' | 'name'>; first?: DeviceCredentials }
  | { what: 'add' }

/**
 * The actions a person may take on the devices of a team, and the dialog that is open. On an instance's page
 * (`owner`) devices cannot be added to another instance. `onDeleted` is called after a deletion.
 */
export function useDeviceActions(teamId: string, owner: Owner, onDeleted?: () => void) {
  const [open, setOpen] = useState<Open>()
  const { mutate: unassign } = useUnassignDevice()
  const { mutate: remove } = useDeleteDevice()
  const [mayCreate, mayEdit, mayDelete] = [useCan('device:create'), useCan('device:edit'), useCan('device:delete')]
  const ofTeam = 'team' in owner
  const actions = useMemo<DeviceActions>(
    () => ({
      ...(mayEdit
        ? {
            edit: (device) => setOpen({ what: 'edit', device }),
            ...(ofTeam ? { assign: (device: Device) => setOpen({ what: 'assign', device }) } : {}),
            unassign: (device) => void confirm(removal(device)).then((sure) => sure && unassign(device.id)),
            renew: (device) => setOpen({ what: 'credentials', device }),
          }
        : {}),
      ...(mayDelete
        ? {
            remove: (device) =>
              void confirm(deletion(device)).then(
                (sure) => sure && remove(device, onDeleted ? { onSuccess: onDeleted } : {}),
              ),
          }
        : {}),
    }),
    [mayEdit, mayDelete, ofTeam, unassign, remove, onDeleted],
  )
  const close = () => setOpen(undefined)
  const showFirst = ({ credentials, ...device }: Device & { credentials: DeviceCredentials }) =>
    void setTimeout(() => setOpen({ what: 'credentials', device, first: credentials }), intervals.credentialsDelay)
  let dialog: ReactNode
  if (open?.what === 'add')
    dialog = <AddDeviceDialog teamId={teamId} owner={owner} onMade={showFirst} onClose={close} />
  else if (open?.what === 'edit') dialog = <EditDeviceDialog device={open.device} onClose={close} />
  else if (open?.what === 'assign') dialog = <AssignDialog device={open.device} onClose={close} />
  else if (open?.what === 'credentials')
    dialog = <CredentialsDialog device={open.device} first={open.first} onClose={close} />
  return { actions, add: mayCreate ? () => setOpen({ what: 'add' }) : undefined, dialog }
}

const removal = ({ name, instance }: Device) => ({
  title: 'Remove from Application Instance',
  message: (
    <>
      <b>{name}</b> no longer belongs to <b>{instance?.name}</b>, and its flows stop.
    </>
  ),
  confirmLabel: 'Remove',
  danger: true,
})

const deletion = ({ name }: Device) => ({
  title: 'Delete Device',
  message: (
    <>
      This deletes <b>{name}</b> and its credentials. Its flows stop when its agent next checks in. This cannot be
      undone.
    </>
  ),
  confirmLabel: 'Delete',
  danger: true,
  typed: name,
})
