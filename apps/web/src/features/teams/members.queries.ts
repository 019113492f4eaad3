import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

/** Changes the role of a member [MEMB-16]. */
export function useChangeRole(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: number }) =>
      api.call('team.changeRole', { params: { teamId, userId }, body: { role } }),
    onSuccess: async () => {
      toast.success("User's role successfully updated")
      await Promise.all([
        client.invalidateQueries({ queryKey: keys.teamMembers(teamId) }),
        client.invalidateQueries({ queryKey: keys.teams }),
      ])
    },
  })
}

/** Removes a member [MEMB-17]. */
export function useRemoveMember(teamId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: ({ userId }: { userId: string; name: string }) =>
      api.call('team.removeMember', { params: { teamId, userId } }),
    onSuccess: async (_reply, { name }) => {
      toast.success(`${name} successfully removed`)
      await client.invalidateQueries({ queryKey: keys.team(teamId) })
    },
    onError: (error, { name }) => toast.warning(`Failed to remove ${name}: ${reasonOf(error)}`),
  })
}
