import type { PlatformSettings, User } from '@app/contract'
import { queryOptions, useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { api, hasStatus } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

/** The signed-in user; null when nobody is. It changes only by what this page does, so it is not read again. */
export const userQuery = queryOptions({
  queryKey: keys.user,
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<User | null> => {
    try {
      return await api.call('account.get')
    } catch (error) {
      if (hasStatus(error, 401)) return null
      throw error
    }
  },
})

export const settingsQuery = queryOptions({
  queryKey: keys.settings,
  staleTime: 60_000,
  queryFn: (): Promise<PlatformSettings> => api.call('settings.get'),
})

/** The signed-in user, for what only renders once the gates are passed. */
export function useUser(): User {
  const { data } = useSuspenseQuery(userQuery)
  if (!data) throw new Error('Nobody is signed in')
  return data
}

/** May this person create teams? Administrators always, others when the platform lets them (A§6). */
export function useMayCreateTeams(): boolean {
  const { data: user } = useQuery(userQuery)
  const { data: settings } = useQuery(settingsQuery)
  return user?.admin === true || settings?.['team:create'] === true
}

/** Reads session and settings anew, and forgets what an earlier user may have seen. */
export function useRenewSession(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    const isSession = (key: readonly unknown[]) => key[0] === 'user' || key[0] === 'settings'
    client.removeQueries({ predicate: ({ queryKey }) => !isSession(queryKey) })
    await Promise.all([
      client.fetchQuery({ ...settingsQuery, staleTime: 0 }),
      client.fetchQuery({ ...userQuery, staleTime: 0 }),
    ])
  }
}

/** Signs in. The form shows what went wrong, so nothing else does. */
export function useLogin() {
  const renew = useRenewSession()
  return useMutation({
    meta: { caught: true },
    mutationFn: async (credentials: { username: string; password?: string }) => {
      await api.call('account.login', { body: credentials })
      await renew()
    },
  })
}

export function useLogout() {
  const renew = useRenewSession()
  return useMutation({
    mutationFn: async () => {
      await api.call('account.logout')
      await renew()
    },
  })
}

/** Changes the own record; the gates follow from the new one [SHELL-43]. */
export function useUpdateUser() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (patch: { tcs_accepted?: true; defaultTeam?: string }) => api.call('account.update', { body: patch }),
    onSuccess: (user) => client.setQueryData(keys.user, user),
  })
}

export function useChangePassword() {
  const renew = useRenewSession()
  return useMutation({
    meta: { caught: true },
    mutationFn: async (body: { old_password: string; password: string }) => {
      await api.call('account.changePassword', { body })
      await renew()
    },
  })
}

export function useResendVerification() {
  return useMutation({ meta: { caught: true }, mutationFn: () => api.call('account.verify') })
}

export const accessRequestQuery = (id: string) =>
  queryOptions({
    queryKey: ['access-request', id],
    queryFn: () => api.call('account.accessRequest', { params: { requestId: id } }),
  })
