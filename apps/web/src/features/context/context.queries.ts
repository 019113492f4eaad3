import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

/** Keys and sizes of what the flows of an instance keep. It is asked while it runs, and otherwise not. */
export function useContextValues(instanceId: string, runs: boolean) {
  return useQuery({
    queryKey: keys.instanceContext(instanceId),
    queryFn: () => api.call('context.get', { params: { instanceId } }),
    enabled: runs,
  })
}

/** Deletes one value, or with an empty target all of them. */
export function useDeleteContext(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (query: { scope?: string; key?: string }) =>
      api.call('context.delete', { params: { instanceId }, query }),
    onSuccess: ({ deleted }) => {
      toast.success(deleted === 1 ? 'Value deleted.' : `${deleted} values deleted.`)
      return client.invalidateQueries({ queryKey: keys.instanceContext(instanceId) })
    },
    onError: (error) => toast.warning('Nothing was deleted.', { detail: reasonOf(error) }),
  })
}
