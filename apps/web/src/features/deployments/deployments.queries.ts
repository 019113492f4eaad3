import { intervals } from '@app/contract/constants'
import type { DeploymentDraft } from '@app/contract'
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { plural } from '../../lib/plural.ts'
import { useLive } from '../../lib/realtime.ts'
import { toast } from '../../ui/toast.ts'
import { endOf } from './deployment-end.ts'

/** One deployment, kept true by push or, while that is down and it goes on, by asking. */
export function useDeployment(instanceId: string, deploymentId: string) {
  const live = useLive()
  return useQuery({
    queryKey: keys.deployment(instanceId, deploymentId),
    queryFn: () => api.call('deployment.get', { params: { instanceId, deploymentId } }),
    refetchInterval: ({ state }) => !live && state.data?.endedAt === undefined && intervals.deploymentPoll,
  })
}

/** The last deployment to an instance; null when there was none. */
const lastQuery = (instanceId: string) =>
  queryOptions({
    queryKey: keys.deployments(instanceId, 'last'),
    queryFn: async () =>
      (await api.call('deployment.list', { params: { instanceId }, query: { limit: 1 } })).deployments[0] ?? null,
  })

export const useLastDeployment = (instanceId: string) => useQuery(lastQuery(instanceId))

/**
 * Says how the deployment that was just asked for ended, wherever the person has gone in the meantime. `begun` is said at
 * once, where its steps may be out of sight.
 */
export async function tellEnd(
  client: QueryClient,
  instanceId: string,
  words: { begun?: string; done: string; failed: string },
): Promise<void> {
  if (words.begun !== undefined) toast.info(words.begun)
  const end = await endOf(client, lastQuery(instanceId))
  if (end?.state === 'failed') toast.warning(words.failed, end.reason ? { detail: end.reason } : {})
  else if (end?.warning !== undefined) toast.warning(words.done, { detail: end.warning })
  else if (end?.faults !== undefined)
    toast.warning(words.done, { detail: `Its flows run with ${plural(end.faults.length, 'new error')}.` })
  else if (end !== undefined) toast.success(words.done)
}

/** The changes that a draft would make. `token` names the draft, which may be too large to be a key. */
export function usePreview(instanceId: string, token: string, draft: DeploymentDraft | undefined) {
  return useQuery({
    queryKey: keys.previews(instanceId, 'changes', token),
    enabled: draft !== undefined,
    // Each window looks anew. While it is open, only an event that concerns the preview makes it ask again.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    queryFn: () => api.call('deployment.preview', { params: { instanceId }, body: draft! }),
  })
}

/** Can everything be had that it needs? */
export function useReadiness(instanceId: string, token: string, draft: DeploymentDraft | undefined) {
  return useQuery({
    queryKey: keys.previews(instanceId, 'check', token),
    enabled: draft !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    queryFn: () => api.call('deployment.check', { params: { instanceId }, body: draft! }),
  })
}
