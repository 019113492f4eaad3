import type { TeamTypeInput, TeamTypeProperties } from '@app/contract'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'

const mostTypes = 1_000

/** Every team type with how many teams have it, by order; for administrators. */
export const allTeamTypesQuery = queryOptions({
  queryKey: keys.allTeamTypes,
  queryFn: async () => (await api.call('team.types', { query: { filter: 'all' } })).types,
})

/** The instance types that a rule can name. */
export const ruledTypesQuery = queryOptions({
  queryKey: keys.catalogue('types', 'ruled'),
  queryFn: async () => (await api.call('instanceType.list', { query: { filter: 'all', limit: mostTypes } })).types,
})

/** The teams that would exceed a type after a change. */
export const previewType = (teamTypeId: string, properties: TeamTypeProperties) =>
  api.call('teamType.preview', { params: { teamTypeId }, body: { properties } })

/** Teams show their types, and quotas follow them. */
function useStale() {
  const client = useQueryClient()
  return () =>
    Promise.all(
      [keys.teamTypes, keys.adminTeams, keys.teams, ['team'], ['team-by-slug']].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    )
}

/** Saves a known team type, or a new one. The form shows a refusal. */
export function useSaveTeamType(id: string | undefined) {
  const onSuccess = useStale()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: TeamTypeInput) =>
      id ? api.call('teamType.update', { params: { teamTypeId: id }, body }) : api.call('teamType.create', { body }),
    onSuccess,
  })
}

export function useDeleteTeamType() {
  const onSuccess = useStale()
  return useMutation({
    meta: { caught: true },
    mutationFn: (teamTypeId: string) => api.call('teamType.delete', { params: { teamTypeId } }),
    onSuccess,
    onError: (error) => toast.warning(reasonOf(error)),
  })
}

/** Gives a team another type. */
export function useChangeTeamType(teamId: string) {
  const onSuccess = useStale()
  return useMutation({
    meta: { caught: true },
    mutationFn: (type: string) => api.call('team.changeType', { params: { teamId }, body: { type } }),
    onSuccess: async ({ type }) => {
      await onSuccess()
      toast.success(`The team type is ${type.name} now.`)
    },
    onError: (error) => toast.warning(reasonOf(error)),
  })
}
