import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

/** The roles of members in single applications of a team; in one application when it is named. */
export const applicationMembersQuery = (teamId: string, application?: string) =>
  queryOptions({
    queryKey: keys.applicationMembers(teamId, application ?? 'all'),
    queryFn: async () => {
      const query = application === undefined ? {} : { application }
      return (await api.call('applicationMember.list', { params: { teamId }, query })).members
    },
  })

/** An application of a team. */
export interface Place {
  teamId: string
  applicationId: string
}

function useChange<V>(
  { teamId }: Place,
  call: (values: V) => Promise<unknown>,
  { done, failed }: { done: (values: V) => string; failed: string },
) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: call,
    onSuccess: async (_reply, values: V) => {
      toast.success(done(values))
      await client.invalidateQueries({ queryKey: keys.applicationMembers(teamId) })
    },
    onError: (error) => toast.warning(`${failed}: ${reasonOf(error)}`),
  })
}

/** Gives a member of the team a role in the application. */
export const useAddApplicationMember = (place: Place) =>
  useChange(
    place,
    ({ user, role }: { user: string; role: number; name: string }) =>
      api.call('applicationMember.add', { params: { ...place }, body: { user, role } }),
    { done: ({ name }) => `${name} added`, failed: 'Unable to add the member' },
  )

/** Changes the role of a member in the application. */
export const useChangeApplicationRole = (place: Place) =>
  useChange(
    place,
    ({ userId, role }: { userId: string; role: number; name: string }) =>
      api.call('applicationMember.changeRole', { params: { ...place, userId }, body: { role } }),
    { done: ({ name }) => `Role of ${name} changed`, failed: 'Unable to change the role' },
  )

/** Takes the role of a member in the application away. */
export const useRemoveApplicationMember = (place: Place) =>
  useChange(
    place,
    ({ userId }: { userId: string; name: string }) =>
      api.call('applicationMember.remove', { params: { ...place, userId } }),
    { done: ({ name }) => `${name} removed`, failed: 'Unable to remove the member' },
  )
