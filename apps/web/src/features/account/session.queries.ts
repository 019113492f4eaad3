import type { PlatformSettings, User } from '@app/contract'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { forgetPerson, startAnalytics } from '../../lib/analytics.ts'
import { api, hasStatus } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { rememberSignedIn } from '../../lib/signed-in.ts'
import { setSessionEnded } from '../../lib/session-ended.ts'

async function readUser(): Promise<User | null> {
  try {
    const user = await api.call('account.get')
    rememberSignedIn(true)
    return user
  } catch (error) {
    if (!hasStatus(error, 401)) throw error
    rememberSignedIn(false)
    return null
  }
}

/**
 * The signed-in user; null when nobody is. It changes by what this page does, or elsewhere: by the link of a mail in
 * another tab, by an administrator. So whoever comes back to the page finds it read again.
 */
export const userQuery = queryOptions({
  queryKey: keys.user,
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: 'always',
  async queryFn({ client }): Promise<User | null> {
    const user = await readUser()
    if (!user && client.getQueryData<User | null>(keys.user)) setSessionEnded(true)
    return user
  },
})

export const settingsQuery = queryOptions({
  queryKey: keys.settings,
  staleTime: 60_000,
  async queryFn(): Promise<PlatformSettings> {
    const settings = await api.call('settings.get')
    startAnalytics(settings.analytics)
    return settings
  },
})

/** Returns the settings of the platform; undefined before the gates are passed. */
export const useSettings = (): PlatformSettings | undefined => useQuery(settingsQuery).data

/** As texts of the contract name the commands for the shell of the server. */
export const defaultAdminCommand = 'npm run admin --'
/** Prefix of those commands on the server of this platform. */
export const useAdminCommand = (): string => useSettings()?.['command:admin'] ?? defaultAdminCommand

const lookMs = 30_000

/** Why nothing can be asked of instances at the moment; looked at again now and then, since nothing tells of it. */
export const useInstancesAway = (): string | undefined =>
  useQuery({ ...settingsQuery, refetchInterval: lookMs }).data?.['instances:away']

/** May this person create teams? Administrators always, others when the platform lets them [PERM-67]. */
export function useMayCreateTeams(): boolean {
  const { data: user } = useQuery(userQuery)
  const settings = useSettings()
  return user?.admin === true || settings?.['team:create'] === true
}

/** After signing in or out: reads session and settings anew, and forgets what an earlier user may have seen. */
export function useRenewSession(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    const isSession = (key: readonly unknown[]) => key[0] === 'user' || key[0] === 'settings'
    client.removeQueries({ predicate: ({ queryKey }) => !isSession(queryKey) })
    await Promise.all([
      client.fetchQuery({ ...settingsQuery, staleTime: 0 }),
      client.fetchQuery({ ...userQuery, queryFn: readUser, staleTime: 0 }),
    ])
    setSessionEnded(false)
  }
}

/** Reads the signed-in user anew; the gates follow from the record [SHELL-43]. */
export function useReloadUser(): () => Promise<unknown> {
  const client = useQueryClient()
  return () => client.fetchQuery({ ...userQuery, staleTime: 0 })
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
      forgetPerson()
      await renew()
    },
  })
}

export const accessRequestQuery = (id: string) =>
  queryOptions({
    queryKey: ['access-request', id],
    queryFn: () => api.call('account.accessRequest', { params: { requestId: id } }),
  })
