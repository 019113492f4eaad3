import { toastDurations } from '@app/contract/constants'
import type { User } from '@app/contract'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { toast } from '../ui/toast.ts'
import { ApiError, NetworkError, reasonOf } from './api.ts'
import { keys } from './api-keys.ts'
import { setOffline } from './api-offline.ts'
import { setSessionEnded } from './session-ended.ts'

/** The cache of everything read from the server, with the error policy of API-03 to API-06 for whatever nobody catches. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // A page shows why its data could not be read, so nothing is said here beyond what concerns the whole app. Where
      // it goes on showing what was read before, only this says that it could not be read again.
      onError(error, { state }) {
        if (!isFault(error) || state.data !== undefined) meetFailure(client, error)
      },
      onSuccess: () => setOffline(false),
    }),
    mutationCache: new MutationCache({
      onError: (error, _input, _context, mutation) => {
        const caught = mutation.options.onError !== undefined || mutation.meta?.caught === true
        if ((!meetFailure(client, error) || error instanceof NetworkError) && !caught)
          toast.warning(`Request Failed: ${reasonOf(error)}`)
      },
    }),
    defaultOptions: {
      // The server may well be on this machine: the browser's own idea of being online says nothing about it.
      queries: { networkMode: 'always', staleTime: 5_000, retry: retryOnce, retryDelay: 500 },
      mutations: { networkMode: 'always', retry: false },
    },
  })
  return client
}

/** One lost packet should not put the offline screen up. */
const retryOnce = (failures: number, error: Error) => error instanceof NetworkError && failures < 1

/** Handles a failure for the whole app; returns true when nothing else needs to be said about it. */
function meetFailure(client: QueryClient, error: Error): boolean {
  if (error instanceof NetworkError) {
    setOffline(true)
    return true
  }
  if (!(error instanceof ApiError)) return false
  if (error.status === 401) return endSession(client)
  if (isFault(error)) {
    toast.warning(error.message, { ...detailOf(error), countdown: toastDurations.serverError })
    return true
  }
  return false
}

/** The server could not do what it should have been able to. */
const isFault = (error: Error): error is ApiError => error instanceof ApiError && error.status === 500

/** The error as it is named; without a name of its own the sentence says all there is. */
const detailOf = ({ code }: ApiError) => (code === 'unexpected_error' ? {} : { detail: code })

/** The session is over, unless a gate that locks it is showing, or nobody was signed in anyway [SHELL-43]. */
function endSession(client: QueryClient): boolean {
  const user = client.getQueryData<User | null>(keys.user)
  if (!user) return true
  if (user.password_expired || (!user.email_verified && !user.email_proof_waived) || user.mfa_missing) return false
  setSessionEnded(true)
  client.setQueryData(keys.user, null)
  return true
}
