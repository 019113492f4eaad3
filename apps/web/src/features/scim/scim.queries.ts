import type { ScimTokenCreate } from '@app/contract'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

/** Directories call while the page is open, so both are read again now and then. */
const refetchInterval = 15_000

export const scimTokensQuery = queryOptions({
  queryKey: keys.scimTokens,
  refetchInterval,
  queryFn: () => api.call('scim.tokens'),
})

export const scimGroupsQuery = queryOptions({
  queryKey: keys.scimGroups,
  refetchInterval,
  queryFn: async () => (await api.call('scim.groups')).groups,
})

/** Makes a token; the answer is the only one that shows it. */
export function useCreateScimToken() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: ScimTokenCreate) => api.call('scim.createToken', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.scimTokens }),
  })
}

export function useRevokeScimToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (tokenId: string) => api.call('scim.deleteToken', { params: { tokenId } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.scimTokens }),
  })
}
