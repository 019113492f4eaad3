import { intervals, limits, seenBars, statusBars } from '@app/contract/constants'
import type { DeviceDetails, DeviceWindow } from '@app/contract'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

/** The owner of devices: a whole team, or the instance they are assigned to. */
export type Owner = { team: string } | { instance: string }

/*
 * A new sign of life of a device is not pushed, so lists and pages ask for it even while changes are pushed
 * [DEV-59].
 */
const refetchInterval = intervals.listPoll

/** The filters of a list of devices, as in the address of the page; '' for none. */
export interface DeviceFilter {
  text: string
  seen: string
  status: string
  /** The id of a provisioning token. */
  token: string
  tag: string
}

const barOf = <Bar extends string>(bars: readonly Bar[], text: string) => bars.find((bar) => bar === text)

/** The devices that a filter finds, 30 at a time, in the order in which they were made. */
export function useDevices(owner: Owner, { text, ...filter }: DeviceFilter) {
  const query = text.trim()
  const [seen, status] = [barOf(seenBars, filter.seen), barOf(statusBars, filter.status)]
  const { token, tag } = filter
  return useInfiniteQuery({
    queryKey:
      'team' in owner
        ? keys.teamDevices(owner.team, 'list', query, seen, status, token, tag)
        : keys.instanceDevices(owner.instance, 'list', query, seen, status, token, tag),
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ pageParam: cursor }) => {
      const page = {
        limit: limits.adminPage,
        ...(cursor === undefined ? {} : { cursor }),
        ...(query === '' ? {} : { query }),
        ...(seen ? { seen } : {}),
        ...(status ? { status } : {}),
        ...(token === '' ? {} : { registeredBy: token }),
        ...(tag === '' ? {} : { tag }),
      }
      return 'team' in owner
        ? api.call('device.listOfTeam', { params: { teamId: owner.team }, query: page })
        : api.call('device.listOfInstance', { params: { instanceId: owner.instance }, query: page })
    },
    getNextPageParam: ({ meta }) => meta.next_cursor,
  })
}

/** Number of devices of an owner that each bar of the two charts counts. */
export function useDeviceCharts(owner: Owner) {
  return useQuery({
    queryKey: 'team' in owner ? keys.teamDevices(owner.team, 'charts') : keys.instanceDevices(owner.instance, 'charts'),
    refetchInterval,
    queryFn: () =>
      'team' in owner
        ? api.call('device.chartsOfTeam', { params: { teamId: owner.team } })
        : api.call('device.chartsOfInstance', { params: { instanceId: owner.instance } }),
  })
}

/** The tags of the devices of a team, the most used first. */
export function useDeviceTags(teamId: string) {
  return useQuery({
    queryKey: keys.deviceTags(teamId),
    queryFn: async () => (await api.call('device.tagsOfTeam', { params: { teamId } })).tags,
  })
}

export function useDevice(id: string | undefined) {
  return useQuery({
    queryKey: keys.device(id ?? ''),
    enabled: id !== undefined,
    refetchInterval,
    queryFn: (): Promise<DeviceDetails> => api.call('device.get', { params: { deviceId: id ?? '' } }),
  })
}

/** The load of a device in a window that ends now. */
export function useDeviceMetrics(deviceId: string, window: DeviceWindow) {
  return useQuery({
    queryKey: keys.deviceMetrics(deviceId, window),
    queryFn: () => api.call('deviceMetrics.get', { params: { deviceId }, query: { window } }),
    placeholderData: keepPreviousData,
    refetchInterval: intervals.deviceReport,
  })
}

/** The variables of a device, those of the platform first. */
export function useDeviceVariables(deviceId: string) {
  return useQuery({
    queryKey: keys.deviceSettings(deviceId),
    queryFn: async () => (await api.call('device.settings', { params: { deviceId } })).env,
  })
}

/** Number of devices that a snapshot would go to, and what can be known before. */
export function useTargetPreview(instanceId: string, snapshot: string | undefined) {
  return useQuery({
    queryKey: keys.instanceDevices(instanceId, 'target', snapshot ?? ''),
    enabled: snapshot !== undefined,
    queryFn: async () =>
      api.call('device.previewTarget', { params: { instanceId }, query: { snapshot: snapshot ?? '' } }),
  })
}
