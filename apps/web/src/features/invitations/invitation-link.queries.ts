import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { captureUse } from '../../lib/analytics.ts'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'

/** The team and the role that a link offers. */
export const invitationOfferQuery = (code: string) =>
  queryOptions({
    queryKey: ['invitation-link', code],
    enabled: code !== '',
    queryFn: () => api.call('invitation.readLink', { body: { code } }),
  })

/** Joins the team of a link; the list of teams has it before this settles. */
export function useJoin() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: async (code: string) => {
      const team = await api.call('invitation.acceptLink', { body: { code } })
      captureUse('$ff-invite-accepted', {}, { team: team.id })
      await client.refetchQueries({ queryKey: keys.teams })
      return team
    },
  })
}
