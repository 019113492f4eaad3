import { haReplicas } from '@app/contract/constants'
import type { Instance } from '@app/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'
import { haMessage } from './ha.ts'

/** Makes an instance two processes, or one again [HA-06]. */
export function useHa({ id: instanceId, meta }: Pick<Instance, 'id' | 'meta'>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (on: boolean) => {
      const params = { instanceId }
      if (on) await api.call('ha.enable', { params, body: { replicas: haReplicas } })
      else await api.call('ha.disable', { params })
    },
    meta: { caught: true },
    onSuccess: async (_reply, on) => {
      toast.success(haMessage(on, meta.state))
      await client.invalidateQueries({ queryKey: keys.instance(instanceId) })
    },
    onError: (error) => toast.warning('High Availability was not changed.', { detail: reasonOf(error) }),
  })
}
