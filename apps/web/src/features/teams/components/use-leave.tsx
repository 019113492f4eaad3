import type { UserTeam } from '@app/contract'
import { toastDurations } from '@app/contract/constants'
import { useCallback } from 'react'
import { NetworkError, reasonOf } from '../../../lib/api.ts'
import { confirm } from '../../../ui/confirm.ts'
import { toast } from '../../../ui/toast.ts'
import { useUser } from '../../account/index.ts'
import { useLeaveTeam } from '../teams.queries.ts'

/** Leaves a team after a question; who is alone in it is told why that cannot be, and nothing is asked of the server. */
export function useLeave(): (team: UserTeam) => void {
  const { id: userId, username } = useUser()
  const { mutateAsync: leave } = useLeaveTeam()
  const run = useCallback(
    async (team: UserTeam) => {
      const alone = team.memberCount === 1
      const sure = await confirm({
        title: 'Leave Team',
        message: alone ? (
          'You cannot leave a team you are the only member of.'
        ) : (
          <>
            You lose access to <b>{team.name}</b> and everything in it at once. Only an owner can bring you back.
          </>
        ),
        confirmLabel: 'Leave Team',
        cancelLabel: alone ? 'Close' : 'Cancel',
        danger: true,
        disabled: alone,
      })
      if (!sure) return
      try {
        await leave({ teamId: team.id, userId })
        toast.success(`${username} successfully removed from ${team.name}`)
      } catch (error) {
        if (error instanceof NetworkError) return
        toast.warning(`Failed to remove ${username} from ${team.name}: ${reasonOf(error)}`, {
          countdown: toastDurations.serverError,
        })
      }
    },
    [leave, userId, username],
  )
  return useCallback((team) => void run(team), [run])
}
