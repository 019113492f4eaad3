import type { SsoProviderCreate, SsoProviderPatch } from '@app/contract'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

export const providersQuery = queryOptions({
  queryKey: [...keys.ssoProviders, 'list'],
  queryFn: async () => (await api.call('sso.list', { query: {} })).providers,
})

/** Read once for the form: what is being edited must not change under the hands. */
export const providerQuery = (providerId: string) =>
  queryOptions({
    queryKey: [...keys.ssoProviders, providerId],
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    retry: false,
    queryFn: () => api.call('sso.get', { params: { providerId } }),
  })

/** The last sign-ins through a provider, which come while the page is open. */
export const signInsQuery = (providerId: string) =>
  queryOptions({
    queryKey: [...keys.ssoProviders, providerId, 'sign-ins'],
    refetchInterval: 10_000,
    queryFn: async () => (await api.call('sso.signIns', { params: { providerId } })).signIns,
  })

function useChange<V, R>(mutationFn: (values: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.ssoProviders }),
  })
}

export const useMakeProvider = () => useChange((body: SsoProviderCreate) => api.call('sso.create', { body }))
export const useChangeProvider = (providerId: string) =>
  useChange((body: SsoProviderPatch) => api.call('sso.update', { params: { providerId }, body }))
export const useDeleteProvider = () =>
  useChange(({ id: providerId, endRoles }: { id: string; endRoles: boolean }) =>
    api.call('sso.delete', { params: { providerId }, query: endRoles ? { roles: 'end' } : {} }),
  )
export const useReadMetadata = (providerId: string) =>
  useMutation({
    meta: { caught: true },
    mutationFn: (body: { xml?: string; url?: string; allowPrivate?: boolean }) =>
      api.call('sso.metadata', { params: { providerId }, body }),
  })
