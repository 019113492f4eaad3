import type { ProvisioningToken } from '@app/contract'
import { intervals, limits } from '@app/contract/constants'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

/** The provisioning tokens of a team, newest first; asked for every 10 s [PROV-11], and when a device registers. */
export function useProvisioningTokens(teamId: string) {
  return useInfiniteQuery({
    queryKey: keys.provisioningTokens(teamId),
    refetchInterval: intervals.listPoll,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      api.call('provisioning.list', {
        params: { teamId },
        query: { limit: limits.adminPage, ...(cursor === undefined ? {} : { cursor }) },
      }),
    getNextPageParam: ({ meta }) => meta.next_cursor,
  })
}

/** The choices for a token; '' for no instance, null for no expiry. */
export interface TokenValues {
  instance: string
  expiryAt: string | null
}

/** The form says why not. The answer is the only one that shows the token, so nothing keeps it. */
export function useCreateToken(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    gcTime: 0,
    mutationFn: (body: TokenValues & { name: string }) => api.call('provisioning.create', { params: { teamId }, body }),
    onSuccess: () => {
      toast.success('Provisioning Token successfully created.')
      return client.invalidateQueries({ queryKey: keys.provisioningTokens(teamId) })
    },
  })
}

export function useUpdateToken(teamId: string, tokenId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: TokenValues) => api.call('provisioning.update', { params: { teamId, tokenId }, body }),
    onSuccess: () => {
      toast.success('Provisioning Token successfully updated.')
      return client.invalidateQueries({ queryKey: keys.provisioningTokens(teamId) })
    },
  })
}

export function useDeleteToken(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id: tokenId }: ProvisioningToken) =>
      api.call('provisioning.delete', { params: { teamId, tokenId } }),
    onSuccess: () => {
      toast.success('Successfully deleted the token')
      return client.invalidateQueries({ queryKey: keys.provisioningTokens(teamId) })
    },
    onError: (error) => toast.warning(`Failed to delete token: ${reasonOf(error)}`),
  })
}
