import type { TeamQuotas } from '@app/contract'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { useCanInTeam } from '../../lib/can.ts'

/** The quotas of a team under its own type, or under another one. */
export const quotasQuery = (teamId: string, type?: string) =>
  queryOptions({
    queryKey: keys.quotas(teamId, type),
    queryFn: (): Promise<TeamQuotas> =>
      api.call('teamType.quotas', { params: { teamId }, query: type === undefined ? {} : { type } }),
  })

/** The quotas of a team under its own type. Limited members are not told them. */
export function useQuotas(teamId: string) {
  const enabled = useCanInTeam('team:projects:list')
  return useQuery({ ...quotasQuery(teamId), enabled })
}
