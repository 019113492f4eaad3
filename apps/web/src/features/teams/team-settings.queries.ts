import type { TeamPatch } from '@app/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { captureUse } from '../../lib/analytics.ts'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { keepAnswer } from '../../lib/keep-answer.ts'
import { toast } from '../../ui/toast.ts'
import { userQuery } from '../account/index.ts'

/** Saves name and slug; the address follows a new slug [TSET-04] [TSET-05]. */
export function useSaveTeam(teamId: string) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: TeamPatch) => api.call('team.update', { params: { teamId }, body }),
    onSuccess: async (team) => {
      await keepAnswer(client, keys.teamBySlug(team.slug), team)
      await client.invalidateQueries({ queryKey: keys.teams })
      toast.success('Team Settings updated.')
      await navigate({ to: '/team/$slug/settings/general', params: { slug: team.slug }, replace: true })
    },
  })
}

/** Deletes a team, then leads home [TSET-10]. */
export function useDeleteTeam(teamId: string) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    meta: { caught: true },
    mutationFn: () => api.call('team.delete', { params: { teamId } }),
    onSuccess: async () => {
      captureUse('$ff-team-deleted', {}, { team: teamId })
      toast.success('Team successfully deleted')
      // The default team of the person may have been this one.
      await Promise.all([
        client.refetchQueries({ queryKey: keys.teams }),
        client.fetchQuery({ ...userQuery, staleTime: 0 }),
      ])
      await navigate({ to: '/', replace: true })
    },
    onError: (error) => toast.warning(`Failed to delete the team: ${reasonOf(error)}`),
  })
}
