import type { Device, DeviceAction, DeviceNodeRedPatch } from '@app/contract'
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { captureUse } from '../../lib/analytics.ts'
import { ApiError, api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'
import type { Owner } from './devices.queries.ts'
import { unlessEmpty } from './empty-target.ts'
import { variableNotices, warnOfDevice } from './notices.ts'

/** A change of a device also changes the lists in which it stands. */
export const settle = async (client: QueryClient, id?: string) =>
  client.invalidateQueries({
    predicate: ({ queryKey: [noun, of, what] }) =>
      what === 'devices' || what === 'device-tags' || (noun === 'device' && of === id),
  })

export interface DeviceValues {
  name: string
  type: string
}

/** Adds a device to a team, on the page of an instance to that instance; the form says why not. */
export function useCreateDevice(team: string, owner: Owner) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: async (values: DeviceValues) => {
      const made = await api.call('device.create', { body: { ...values, team } })
      if ('instance' in owner) {
        const assigned = { params: { deviceId: made.id }, body: { instance: owner.instance } }
        // It is made all the same, and its credentials are shown this once.
        await api.call('device.update', assigned).catch((error: unknown) => {
          toast.warning('The device could not be assigned to the instance.', { detail: reasonOf(error) })
        })
      }
      return made
    },
    onSuccess: ({ id, createdAt }) => {
      captureUse('$ff-device-created', { 'created-at': createdAt, device: id }, { team })
      toast.success('Device successfully created.')
      return settle(client)
    },
  })
}

/** Gives a device another name, another type and other tags; the form says why not. */
export function useEditDevice(deviceId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: DeviceValues & { tags: string[] }) => api.call('device.update', { params: { deviceId }, body }),
    onSuccess: () => {
      toast.success('Device successfully updated.')
      return settle(client, deviceId)
    },
  })
}

/** Saves how new targets of a device take over. */
export function useSaveDeviceTakeover(deviceId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (takeover: Device['takeover']) =>
      api.call('device.update', { params: { deviceId }, body: { takeover } }),
    onSuccess: () => {
      toast.success('Takeover saved.')
      return settle(client, deviceId)
    },
    onError: (error) => toast.warning('Takeover was not saved.', { detail: reasonOf(error) }),
  })
}

/** Saves settings of Node-RED on a device. A refusal comes back by field, as `memory`. */
export function useSaveNodeRed(deviceId: string, onRefused: (fields: Faults) => void) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (nodeRed: DeviceNodeRedPatch) => api.call('device.update', { params: { deviceId }, body: { nodeRed } }),
    onSuccess: async () => {
      toast.success('Node-RED settings saved.')
      await settle(client, deviceId)
    },
    onError: (error) => {
      if (error instanceof ApiError) onRefused(byName(error.fields))
      toast.warning('Node-RED settings were not saved.', { detail: reasonOf(error) })
    },
  })
}
type Faults = Record<string, string>

/** `nodeRed.denyList.0` is the field `denyList` of the form. */
const byName = (fields: Faults): Faults =>
  Object.fromEntries(
    Object.entries(fields).map(([path, text]) => {
      const name = path.split('.').filter((key) => key !== 'nodeRed' && !/^\d+$/.test(key))
      return [name.join('.'), text]
    }),
  )

export function useAssignDevice(deviceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (instance: string) =>
      unlessEmpty((yes) => api.call('device.update', { params: { deviceId }, body: { instance, ...yes } })),
    onSuccess: (device) => {
      if (!device) return undefined
      toast.success('Device successfully assigned to instance.')
      return settle(client, deviceId)
    },
    onError: (error) => toast.warning('Failed to assign the device.', { detail: reasonOf(error) }),
  })
}

export function useUnassignDevice() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (deviceId: string) => api.call('device.update', { params: { deviceId }, body: { instance: null } }),
    onSuccess: (_device, deviceId) => {
      toast.success('Successfully removed the device from the instance.')
      return settle(client, deviceId)
    },
    onError: (error) => toast.warning('Failed to remove the device.', { detail: reasonOf(error) }),
  })
}

/** New credentials for a device, which only the window that asked for them ever holds, and when it called before. */
export function useRenewCredentials(deviceId: string) {
  return useMutation({
    gcTime: 0,
    mutationFn: async () => {
      const credentials = await api.call('device.generateCredentials', { params: { deviceId } })
      const { lastSeenAt } = await api.call('device.get', { params: { deviceId } })
      return { credentials, lastSeenAt }
    },
    onError: (error) => toast.warning('Failed to regenerate the credentials.', { detail: reasonOf(error) }),
  })
}

export function useDeleteDevice() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id: deviceId }: Device) => api.call('device.delete', { params: { deviceId } }),
    onSuccess: (_answer, { id, team }) => {
      captureUse('$ff-device-deleted', { device: id }, { team: team.id })
      toast.success('Successfully deleted the device')
      return settle(client)
    },
    onError: (error) => warnOfDevice('delete', reasonOf(error)),
  })
}

const done = { start: 'started', restart: 'restarted', suspend: 'suspended' } as const

/** Starts, restarts or suspends the flows of a device; its state follows by itself. */
export function useDeviceAction(deviceId: string) {
  return useMutation({
    mutationFn: (action: DeviceAction) => api.call(`deviceAction.${action}`, { params: { deviceId } }),
    onSuccess: (_answer, action) => toast.success(`The flows of the device are being ${done[action]}.`),
    onError: (error, action) => toast.warning(`Failed to ${action} the device.`, { detail: reasonOf(error) }),
  })
}

/** Tells the agent of a device to become the version that the platform serves. */
export function useUpdateAgent(deviceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.call('deviceAction.updateAgent', { params: { deviceId } }),
    onSuccess: () => {
      toast.success('The agent was told to update.')
      return settle(client, deviceId)
    },
    onError: (error) => toast.warning('Failed to update the agent.', { detail: reasonOf(error) }),
  })
}

/** Replaces the variables of a device. */
export function useSaveVariables(deviceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (env: { name: string; value: string }[]) =>
      api.call('device.saveSettings', { params: { deviceId }, body: { env } }),
    onSuccess: () => {
      variableNotices.saved()
      return client.invalidateQueries({ queryKey: keys.deviceSettings(deviceId) })
    },
    onError: (error) => variableNotices.notSaved(reasonOf(error)),
  })
}
