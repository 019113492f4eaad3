import { mayDiffer, roles } from '@app/contract'
import type { Entitled, Given, Match, Standing } from './rules.matches.ts'
import type { Effect } from './rules.sentences.ts'

type Named = Pick<Match, 'teamId' | 'teamName' | 'applicationId' | 'applicationName'>

/** An application as effects name it. */
export const locationOf = ({ teamId, teamName, applicationId, applicationName }: Named) => ({
  teamId: teamId ?? '',
  team: teamName ?? '',
  applicationId: applicationId ?? '',
  application: applicationName ?? '',
})

/**
 * Says what changes in applications, after the change of roles in teams. Rules only ever give: a role in an application
 * stands where it is higher than that in the team. The grant stays beside a role in the team that is as high, so that it
 * counts again when that one ends.
 */
export function applicationsPlan(
  matches: readonly Match[],
  standing: Standing,
  entitled: Entitled,
  after: ReadonlyMap<string, number | undefined>,
): { effects: Effect[]; grants: Given[] } {
  const effects: Effect[] = []
  const grants: Given[] = []
  const named = [...matches, ...standing.grants].filter(({ applicationId }) => applicationId !== null)
  const locations = new Map(named.map((one) => [one.applicationId, locationOf(one)]))
  for (const location of locations.values()) {
    const { teamId, applicationId } = location
    const match = matches.find((one) => one.applicationId === applicationId)
    const current = standing.applications.get(applicationId)?.role
    if (current !== undefined && !entitled.isGranted(location)) {
      if (match) effects.push({ kind: 'application-by-hand', ...location, role: current })
      continue
    }
    if (match) grants.push({ teamId, applicationId, role: match.role })
    const inTeam = after.has(teamId) ? after.get(teamId) : standing.roles.get(teamId)
    // The role ends with the membership.
    if (inTeam === undefined) continue
    const given = Math.max(match?.role ?? roles.none, entitled.elsewhere(location))
    if (!mayDiffer(inTeam) || given <= inTeam) {
      // A role in the team beside which there are none takes them away itself.
      if (current !== undefined && mayDiffer(inTeam))
        effects.push({ kind: 'application-end', ...location, covered: given > roles.none })
      else if (match) effects.push({ kind: 'application-covered', ...location, role: inTeam })
    } else if (given !== current) {
      const group = match?.role === given ? match.group : undefined
      effects.push({ kind: 'application-role', ...location, role: given, group })
    }
  }
  return { effects, grants }
}
