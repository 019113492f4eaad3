import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { captureUse } from '../../lib/analytics.ts'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

/** Invitations into a team that are not answered yet; for holders of the right to invite. */
export const teamInvitationsQuery = (teamId: string) =>
  queryOptions({
    queryKey: [...keys.team(teamId), 'invitations'],
    queryFn: async () => (await api.call('invitation.listOfTeam', { params: { teamId } })).invitations,
  })

/** Invites people by user name or address and says how it went for each [MEMB-18] [MEMB-19] [MEMB-20]. */
export function useInvite(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: { user: string; role: number }) => api.call('invitation.create', { params: { teamId }, body }),
    onSuccess: async (reply, { user }) => {
      const failed = 'error' in reply ? reply.error : {}
      for (const [name, reason] of Object.entries(failed)) toast.warning(`Unable to invite ${name}: ${reason}`)
      const sent = user
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '' && !(one in failed))
      if (sent.length > 0) {
        captureUse('$ff-invite-sent', { count: String(sent.length) }, { team: teamId })
        toast.success(`Invite sent to ${sent.join(', ')}`)
      }
      await client.invalidateQueries({ queryKey: keys.team(teamId) })
    },
    onError: (error) => toast.warning(`Unable to invite users: ${reasonOf(error)}`),
  })
}

/** Makes an invitation link; the list of invitations has it. */
export function useMakeLink(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (role: number) => api.call('invitation.createLink', { params: { teamId }, body: { role } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.team(teamId) }),
  })
}

/** Withdraws an invitation. */
export function useWithdraw(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (invitationId: string) => api.call('invitation.withdraw', { params: { teamId, invitationId } }),
    onSuccess: (_reply, invitation) => captureUse('$ff-invite-removed', { invitation }, { team: teamId }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.team(teamId) }),
  })
}
