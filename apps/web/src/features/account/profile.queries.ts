import type { BodyIn, Routes } from '@app/contract'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { keepAnswer } from '../../lib/keep-answer.ts'
import { withProof } from '../../lib/proof.ts'
import { toast } from '../../ui/toast.ts'
import { useReloadUser, useRenewSession } from './session.queries.ts'

export type UserPatch = BodyIn<Routes['account.update']>

/** Changes the own record; the gates follow from the new one [SHELL-43]. */
export function useUpdateUser({ caught = false } = {}) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught },
    mutationFn: (patch: UserPatch) => withProof(() => api.call('account.update', { body: patch })),
    onSuccess: (user) => keepAnswer(client, keys.user, user),
  })
}

export function useChangePassword() {
  const reload = useReloadUser()
  return useMutation({
    meta: { caught: true },
    mutationFn: async (body: { old_password: string; password: string }) => {
      await api.call('account.changePassword', { body })
      await reload()
    },
  })
}

/** Sends the mail to the new address again. */
export function useResendEmailChange() {
  return useMutation({ mutationFn: () => api.call('account.emailChange', { body: {} }) })
}

/** Keeps the address that there is. */
export function useCancelEmailChange() {
  const reload = useReloadUser()
  return useMutation({
    mutationFn: async () => {
      await api.call('account.cancelEmailChange')
      await reload()
    },
    onSuccess: () => toast.success('Your address was not changed.'),
  })
}

/** Deletes the own account; nobody is signed in afterwards. */
export function useDeleteAccount() {
  const renew = useRenewSession()
  return useMutation({
    meta: { caught: true },
    mutationFn: async () => {
      await withProof(() => api.call('account.delete'))
      await renew()
    },
  })
}

export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: async () => {
    const { sessions } = await api.call('account.sessions')
    // One looks for oneself first.
    return sessions.toSorted((a, b) => Number(b.current) - Number(a.current))
  },
})

/** Ends one of the own sessions, or without an id all but this one. */
export function useEndSession() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (sessionId: string | undefined) =>
      withProof(() =>
        sessionId === undefined
          ? api.call('account.endOtherSessions')
          : api.call('account.endSession', { params: { sessionId } }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.sessions }),
  })
}
