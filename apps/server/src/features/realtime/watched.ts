import { limited, type PushEvent, roles } from '@app/contract'
import type { Services } from '../../platform/features/services.ts'

/** The part of a team that a stream tells of: everything, or these applications, instances and devices. */
export type Watched = 'all' | Set<string>

/**
 * The teams that these people may watch, and what they hear of each. One query more if some of them are limited members.
 */
export async function watchedBy(
  { teams, applicationMembers }: Pick<Services, 'teams' | 'applicationMembers'>,
  userIds: readonly string[],
): Promise<Map<string, Map<string, Watched>>> {
  const found = await teams.membershipsOf(userIds)
  const limitedIds = found.filter(({ role }) => role === limited).map(({ user_id }) => user_id)
  const ids = limitedIds.length > 0 ? await applicationMembers.idsWithinReach([...new Set(limitedIds)]) : undefined
  const all = new Map(userIds.map((id) => [id, new Map<string, Watched>()]))
  for (const { user_id, team_id, role } of found) {
    if (role >= roles.viewer) all.get(user_id)?.set(team_id, 'all')
    if (role === limited) all.get(user_id)?.set(team_id, ids?.get(user_id)?.get(team_id) ?? new Set())
  }
  return all
}

/**
 * An event as it is told to somebody who hears of these objects alone; undefined when it is about others. An instance
 * that came into one of their applications is one of these objects from then on.
 */
export function heardWithin(event: PushEvent, seen: Set<string>, userId: string): PushEvent | undefined {
  switch (event.type) {
    case 'instance':
    case 'instance.deleted':
      if (!seen.has(event.application)) {
        seen.delete(event.id)
        return undefined
      }
      seen.add(event.id)
      return event
    case 'errors':
    case 'device':
      return seen.has(event.id) ? event : undefined
    case 'job':
      return seen.has(event.subject) ? event : undefined
    case 'queue': {
      const places = event.places.filter(({ subject }) => seen.has(subject))
      return places.length > 0 ? { ...event, places } : undefined
    }
    case 'audit':
      return event.scope === 'project' && seen.has(event.id) ? event : undefined
    case 'team':
      // Others are not told whose membership changed.
      return event.member === undefined || event.member === userId ? event : { type: 'team', team: event.team }
  }
}
