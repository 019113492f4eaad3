import type { AdminUserPatch, LinkPurpose, UserCreate } from '@app/contract'
import { limits } from '@app/contract/constants'
import { keepPreviousData, queryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { withProof } from '../../lib/proof.ts'

const pageOf = (text: string, cursor: string | undefined) => ({
  limit: limits.adminPage,
  ...(cursor === undefined ? {} : { cursor }),
  ...(text.trim() === '' ? {} : { query: text.trim() }),
})

/** Everybody with an account whom the text finds, 30 at a time [AUSER-07]. */
export function useUsers(text: string) {
  return useInfiniteQuery({
    queryKey: [...keys.adminUsers, 'list', text.trim()],
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => api.call('user.list', { query: pageOf(text, pageParam) }),
    getNextPageParam: (page) => page.meta.next_cursor,
  })
}

/** Every team that the text finds, 30 at a time [ATEAMS-04]. */
export function useAllTeams(text: string) {
  return useInfiniteQuery({
    queryKey: [...keys.adminTeams, text.trim()],
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => api.call('team.list', { query: pageOf(text, pageParam) }),
    getNextPageParam: (page) => page.meta.next_cursor,
  })
}

export const statsQuery = queryOptions({
  queryKey: keys.adminStats,
  queryFn: () => api.call('admin.stats'),
})

export const adminUserQuery = (userId: string) =>
  queryOptions({
    queryKey: [...keys.adminUsers, userId],
    queryFn: () => api.call('user.get', { params: { userId } }),
  })

export const adminUserTeamsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...keys.adminUsers, userId, 'teams'],
    queryFn: async () => (await api.call('user.teams', { params: { userId } })).teams,
  })

export const allInvitationsQuery = queryOptions({
  queryKey: keys.adminInvitations,
  queryFn: async () => (await api.call('invitation.list')).invitations,
})

/** A change of a user changes the lists and the figures as well. */
function useUserChange<V, R>(mutationFn: (values: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn,
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.adminUsers }),
        client.invalidateQueries({ queryKey: keys.adminStats }),
        // It may have been oneself.
        client.invalidateQueries({ queryKey: keys.user }),
      ]),
  })
}

export const useMakeUser = () => useUserChange((body: UserCreate) => api.call('user.create', { body }))

export const useChangeUser = (userId: string) =>
  useUserChange((body: AdminUserPatch) => withProof(() => api.call('user.update', { params: { userId }, body })))

export function useRemoveUser() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (userId: string) => api.call('user.delete', { params: { userId } }),
    onSuccess: (_reply, userId) => {
      client.removeQueries({ queryKey: [...keys.adminUsers, userId] })
      void client.invalidateQueries({ queryKey: [...keys.adminUsers, 'list'] })
      void client.invalidateQueries({ queryKey: keys.adminStats })
    },
  })
}

export const useResetFactors = (userId: string) =>
  useUserChange(() => api.call('secondFactor.reset', { params: { userId } }))

export const useEndSessions = (userId: string) =>
  useUserChange(() => api.call('user.endSessions', { params: { userId } }))

export const useMakeLink = (userId: string) =>
  useUserChange((purpose: LinkPurpose) => api.call('user.makeLink', { params: { userId }, body: { purpose } }))

type InvitationParams = { teamId: string; invitationId: string }

/** Takes an invitation back, or has it mailed again. */
export function useInvitationChange(call: 'invitation.withdraw' | 'invitation.resend') {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (params: InvitationParams) => api.call(call, { params }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.adminInvitations }),
        client.invalidateQueries({ queryKey: keys.adminStats }),
      ]),
  })
}
