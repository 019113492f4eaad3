import type { AccessTokenCreate } from '@app/contract'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

export const tokensQuery = queryOptions({
  queryKey: keys.accessTokens,
  queryFn: async () => (await api.call('tokens.list')).tokens,
})

/** Makes a token; the answer is the only one that shows it. */
export function useCreateToken() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: AccessTokenCreate) => api.call('tokens.create', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.accessTokens }),
  })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (tokenId: string) => api.call('tokens.revoke', { params: { tokenId } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.accessTokens }),
  })
}
