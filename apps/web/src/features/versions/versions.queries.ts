import type { FlowVersion, Extras } from '@app/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'
import { tellEnd } from '../deployments/index.ts'

/** The kept versions of an instance's flows, newest first. */
export function useVersions(instanceId: string) {
  return useQuery({
    queryKey: keys.instanceVersions(instanceId),
    queryFn: async () => (await api.call('version.list', { params: { instanceId } })).versions,
  })
}

/** The changes from what the instance holds now, or from the version `from`, to a version. */
export function useVersionChanges(instanceId: string, versionId: string, from: string | undefined) {
  return useQuery({
    queryKey: keys.instanceVersions(instanceId, versionId, from),
    queryFn: () =>
      api.call('version.changes', { params: { instanceId, versionId }, query: from === undefined ? {} : { from } }),
  })
}

/** Makes a version the flows of the instance again. */
export function useRestoreVersion(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...body }: Pick<FlowVersion, 'id'> & Extras) =>
      api.call('version.restore', { params: { instanceId, versionId: id }, body }),
    onSuccess: () => {
      const settle = () => client.invalidateQueries({ queryKey: keys.instance(instanceId) })
      const words = { begun: 'Restoring flows.', done: 'Flows restored.', failed: 'Flows were not restored.' }
      void tellEnd(client, instanceId, words).then(settle)
      // The window closes now, and not after all has been read again.
      void settle()
    },
    onError: (error) => toast.warning('Flows were not restored.', { detail: reasonOf(error) }),
  })
}

/** Where the flows of a version are, as a file. */
export const versionFile = (instanceId: string, versionId: string): string =>
  `/api/v1/projects/${instanceId}/versions/${versionId}/flows`
