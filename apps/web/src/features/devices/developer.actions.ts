import type { Device } from '@app/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'
import { settle } from './devices.actions.ts'

export const otherMode = { autonomous: 'developer', developer: 'autonomous' } as const

/** Switches developer mode of a device on or off. */
export function useSetMode({ id: deviceId }: Device) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (mode: Device['mode']) => api.call('deviceDeveloper.setMode', { params: { deviceId }, body: { mode } }),
    onSuccess: ({ mode }) => {
      toast.success(mode === 'developer' ? 'Developer mode enabled.' : 'Developer mode disabled.')
      return settle(client, deviceId)
    },
    onError: (error) => toast.warning('Developer mode was not changed.', { detail: reasonOf(error) }),
  })
}

/** Makes a snapshot of what is on a device; the form says why not. */
export function useSnapshotDevice({ id: deviceId, instance }: Device) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: { name: string; description: string; setAsTarget: boolean }) =>
      api.call('deviceDeveloper.snapshot', { params: { deviceId }, body }),
    onSuccess: async () => {
      toast.success('Successfully created snapshot from device.')
      if (instance) await client.invalidateQueries({ queryKey: keys.snapshots(instance.id) })
      return settle(client, deviceId)
    },
  })
}

/** Opens or closes the editor of a device. */
export function useSetEditor({ id: deviceId }: Device) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (enabled: boolean) => api.call('deviceEditor.set', { params: { deviceId }, body: { enabled } }),
    onSuccess: ({ enabled }) => {
      toast.success(enabled ? 'Editor access enabled.' : 'Editor access disabled.')
      return settle(client, deviceId)
    },
    onError: (error) => toast.warning('Editor access was not changed.', { detail: reasonOf(error) }),
  })
}

/** Goes to the editor of a device, whose host name lets nobody in who does not come from here. */
export function useEnterEditor({ id: deviceId }: Device) {
  return useMutation({
    meta: { caught: true },
    gcTime: 0,
    mutationFn: () => api.call('deviceEditor.enter', { params: { deviceId } }),
    onSuccess: ({ url }) => location.replace(url),
  })
}
