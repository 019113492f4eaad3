import type { BulkResult } from '@app/contract'
import { limits, toastDurations } from '@app/contract/constants'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, reasonOf } from '../../lib/api.ts'
import { plural } from '../../lib/plural.ts'
import { toast } from '../../ui/toast.ts'
import { reasonsOf } from './bulk-reasons.ts'
import { settle } from './devices.actions.ts'
import { unlessEmpty } from './empty-target.ts'

/** Makes as many calls as the limit of one demands. */
async function inParts(
  ids: string[],
  call: (part: string[]) => Promise<BulkResult>,
  onPart?: (asked: number) => void,
): Promise<BulkResult> {
  const whole: BulkResult = { done: [], refused: [] }
  for (let at = 0; at < ids.length; at += limits.bulkDevices) {
    const { done, refused } = await call(ids.slice(at, at + limits.bulkDevices))
    whole.done.push(...done)
    whole.refused.push(...refused)
    onPart?.(Math.min(ids.length, at + limits.bulkDevices))
  }
  return whole
}

function tell({ done, refused }: BulkResult, verb: string): void {
  if (done.length > 0) toast.success(`${plural(done.length, 'device')} ${verb}.`)
  if (refused.length === 0) return
  const said = `${plural(refused.length, 'device')} could not be ${verb}.`
  toast.warning(said, { detail: reasonsOf(refused), countdown: toastDurations.deviceFailure })
}

/** Assigns devices to an instance; null removes them from theirs. */
export function useAssignDevices(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ ids, instance }: { ids: string[]; instance: string | null }) =>
      unlessEmpty((yes) =>
        inParts(ids, (devices) =>
          api.call('device.assignMany', { params: { teamId }, body: { devices, instance, ...yes } }),
        ),
      ),
    onSuccess: (result, { instance }) => {
      if (!result) return
      tell(result, instance === null ? 'removed from the instance' : 'added to the instance')
      // Not waited for: the selection is cleared together with the word that it is done.
      void settle(client)
    },
    onError: (error) => toast.warning('Failed to assign the devices.', { detail: reasonOf(error) }),
  })
}

/** Adds tags to devices, or removes some from them. */
export function useTagDevices(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ ids, ...tags }: { ids: string[]; add?: string[]; remove?: string[] }) =>
      inParts(ids, (devices) => api.call('device.tagMany', { params: { teamId }, body: { devices, ...tags } })),
    onSuccess: (result) => {
      tell(result, 'changed')
      // Not waited for: the selection is cleared together with the word that it is done.
      void settle(client)
    },
    onError: (error) => toast.warning('Failed to change the tags.', { detail: reasonOf(error) }),
  })
}

/** Restarts the flows of devices. `asked`: how many were, while it is under way. */
export function useRestartDevices(teamId: string) {
  const client = useQueryClient()
  const [asked, setAsked] = useState(0)
  const mutation = useMutation({
    mutationFn: (ids: string[]) => {
      setAsked(0)
      return inParts(
        ids,
        (devices) => api.call('deviceAction.restartMany', { params: { teamId }, body: { devices } }),
        setAsked,
      )
    },
    onSuccess: (result) => {
      tell(result, 'told to restart')
      void settle(client)
    },
    onError: (error) => toast.warning('Failed to restart the devices.', { detail: reasonOf(error) }),
  })
  return { ...mutation, asked }
}

export function useDeleteDevices(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (ids: string[]) =>
      inParts(ids, (devices) => api.call('device.deleteMany', { params: { teamId }, body: { devices } })),
    onSuccess: (result) => {
      tell(result, 'deleted')
      // Not waited for: the selection is cleared together with the word that it is done.
      void settle(client)
    },
    onError: (error) => toast.warning('Failed to delete the devices.', { detail: reasonOf(error) }),
  })
}
