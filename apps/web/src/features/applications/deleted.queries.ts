import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

/** The deleted instances of a team that can still be restored, the latest first. */
export function useDeletedInstances(teamId: string) {
  return useQuery({
    queryKey: keys.teamDeleted(teamId),
    queryFn: async () => (await api.call('deleted.list', { params: { teamId } })).projects,
  })
}

/** Brings a deleted instance back; the dialog says why it cannot be. */
export function useRestoreInstance(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: ({ id, name }: { id: string; name: string }) =>
      api.call('deleted.restore', { params: { teamId, instanceId: id }, body: { name } }),
    onSuccess: async (_reply, { name }) => {
      toast.success(`${name} is back.`)
      await client.invalidateQueries({ queryKey: keys.team(teamId) })
    },
  })
}

/** Removes a deleted instance for good. */
export function useRemoveInstance(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: { id: string }) => api.call('deleted.remove', { params: { teamId, instanceId: id } }),
    onSuccess: () => toast.success('Instance removed permanently.'),
    onError: (error) => toast.warning('The instance was not removed.', { detail: reasonOf(error) }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.teamDeleted(teamId) }),
  })
}
