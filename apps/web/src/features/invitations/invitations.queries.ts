import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { captureUse } from '../../lib/analytics.ts'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

/** Invitations into teams that wait for the signed-in user. */
export const invitationsQuery = queryOptions({
  queryKey: keys.invitations,
  staleTime: 30_000,
  // Nothing pushes these: they are for a person, and what is pushed is for a team.
  refetchInterval: 60_000,
  queryFn: async () => (await api.call('invitation.mine')).invitations,
})

/** Number of invitations that wait for an answer; 0 while that is not known. */
export const useInvitationCount = (): number => useQuery(invitationsQuery).data?.length ?? 0

/** Accepts an invitation or rejects it. Accepting refreshes the list of teams before it settles [ATEAM-09]. */
export function useAnswerInvitation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, accept }: { id: string; accept: boolean }) => {
      await api.call(accept ? 'invitation.accept' : 'invitation.reject', { params: { invitationId: id } })
      captureUse(accept ? '$ff-invite-accepted' : '$ff-invite-rejected', { invitation: id }, {})
      if (accept) await client.refetchQueries({ queryKey: keys.teams })
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.invitations }),
  })
}
