import type { Team, TeamCreate } from '@app/contract'
import { mayDiffer, roles } from '@app/contract/roles'
import type { TeamTypeProperties } from '@app/contract'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { captureUse } from '../../lib/analytics.ts'
import { api, hasStatus } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { settingsQuery, userQuery } from '../account/index.ts'

/** The teams of the signed-in user, each with their role in it. */
export const teamsQuery = queryOptions({
  queryKey: keys.teams,
  staleTime: 60_000,
  queryFn: async () => (await api.call('team.mine')).teams,
})

export const teamBySlugQuery = (teamSlug: string) =>
  queryOptions({
    queryKey: keys.teamBySlug(teamSlug),
    queryFn: (): Promise<Team> => api.call('team.getBySlug', { params: { teamSlug } }),
  })

export const teamTypesQuery = queryOptions({
  queryKey: keys.teamTypes,
  queryFn: async () => (await api.call('team.types', { query: { filter: 'active' } })).types,
})

export const teamMembersQuery = (teamId: string) =>
  queryOptions({
    queryKey: keys.teamMembers(teamId),
    queryFn: async () => (await api.call('team.members', { params: { teamId } })).members,
  })

/** The instances of a team that a dashboard user may open. */
export const openInstancesQuery = (teamId: string) =>
  queryOptions({
    queryKey: keys.teamOpen(teamId),
    queryFn: () => api.call('instance.openOfTeam', { params: { teamId } }),
  })

/** The roles with which somebody looks at a team, or at an application of it. */
export interface Standing {
  /** The one that counts there. */
  role: number
  teamRole: number
  /** An administrator who is no member. */
  visiting: boolean
}

/**
 * Role in which the signed-in user looks at a team, or at what is in one application of it: their own, or `admin` for
 * an administrator, who passes every scope and is `visiting` when not a member. undefined while it is not known.
 */
export function useTeamRole(teamId: string | undefined, applicationId?: string): Standing | undefined {
  const { data: user } = useQuery(userQuery)
  const { data: teams } = useQuery(teamsQuery)
  if (!user || !teams || teamId === undefined) return undefined
  const own = teams.find(({ id }) => id === teamId)
  if (user.admin) return { role: roles.admin, teamRole: roles.admin, visiting: !own }
  const teamRole = own?.role ?? roles.none
  const there = applicationId === undefined ? undefined : own?.applicationRoles?.[applicationId]
  return { role: there !== undefined && mayDiffer(teamRole) ? there : teamRole, teamRole, visiting: false }
}

/** The switches that are on for a team: those of the platform that the type of the team leaves it. */
const featuresFor = (
  platform: Record<string, boolean>,
  type: TeamTypeProperties['features'] | undefined,
): Record<string, boolean> =>
  Object.fromEntries(
    Object.entries(platform).map(([name, on]) => [name, on && (type as Record<string, boolean>)?.[name] !== false]),
  )

/**
 * The same for a team of the signed-in user; all of the platform for another team, whose calls then say what it lacks.
 * undefined while it is not known.
 */
export function useFeatures(teamId: string | undefined): Record<string, boolean> | undefined {
  const { data: settings } = useQuery(settingsQuery)
  const { data: teams } = useQuery(teamsQuery)
  return settings && featuresFor(settings.features, teams?.find(({ id }) => id === teamId)?.type.features)
}

export function useCreateTeam() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: TeamCreate) => api.call('team.create', { body }),
    onSuccess: ({ id, createdAt }) => {
      captureUse('$ff-team-created', { 'created-at': createdAt }, { team: id })
      // The new team's pages need to know the role in it.
      return client.refetchQueries({ queryKey: keys.teams })
    },
  })
}

/** Leaves a team. The page says how it went. */
export function useLeaveTeam() {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: (params: { teamId: string; userId: string }) => api.call('team.removeMember', { params }),
    onSuccess: () =>
      Promise.all([
        client.refetchQueries({ queryKey: keys.teams }),
        // The default team may have been this one.
        client.fetchQuery({ ...userQuery, staleTime: 0 }),
      ]),
  })
}

/** Is this slug free? Anything but a plain refusal counts as free: the server decides again on creation. */
export const slugQuery = (slug: string) =>
  queryOptions({
    queryKey: ['slug', slug],
    staleTime: 10_000,
    queryFn: () =>
      api.call('team.checkSlug', { body: { slug } }).then(
        () => 'free' as const,
        (error: unknown) => (hasStatus(error, 409) ? ('taken' as const) : ('free' as const)),
      ),
  })
