import { roleName, roles } from '@app/contract'

/** A rule, with the name of its team; without a team it makes an administrator. */
export interface Rule {
  group: string
  teamId: string | null
  teamName: string | null
  role: number
}

/** Something that a rule gave before. */
export interface Grant {
  teamId: string | null
  role: number
  /** Is it of the provider at hand? Those of other providers stay as they are. */
  own: boolean
}

/** A person before rules are applied. */
export interface Standing {
  admin: boolean
  /** The role in each team. */
  roles: ReadonlyMap<string, number>
  teamNames: ReadonlyMap<string, string>
  grants: readonly Grant[]
}

export type Effect =
  | { kind: 'join'; teamId: string; team: string; role: number; group: string }
  | { kind: 'role'; teamId: string; team: string; role: number; group: string | undefined }
  | { kind: 'leave'; teamId: string; team: string }
  /** Somebody decided about this membership by hand, so rules leave it as it is. */
  | { kind: 'by-hand'; team: string; role: number }
  | { kind: 'admin'; group: string }
  | { kind: 'no-admin' }

interface Plan {
  effects: Effect[]
  /** Everything that the provider grants from now on, in the place of what it granted before. */
  grants: { teamId: string | null; role: number }[]
}

type Match = { role: number; group: string; team: string | null }

/** The highest role that the groups give in each team, and null for the administrator. */
function matchesOf(rules: readonly Rule[], groups: readonly string[]): Map<string | null, Match> {
  const own = new Set(groups)
  const best = new Map<string | null, Match>()
  for (const { group, teamId, teamName, role } of rules) {
    if (!own.has(group) || role <= (best.get(teamId)?.role ?? roles.none)) continue
    best.set(teamId, { role, group, team: teamName })
  }
  return best
}

/**
 * Says what rules change for a person with these groups. A membership that nobody but a rule gave follows the rules:
 * another role, and the end once no group gives it. One that was given by hand stays as it is.
 */
export function planFor(rules: readonly Rule[], groups: readonly string[], standing: Standing): Plan {
  const matches = matchesOf(rules, groups)
  const effects: Effect[] = []
  const grants: Plan['grants'] = []
  const elsewhere = (teamId: string | null): number => {
    const given = standing.grants.filter((grant) => !grant.own && grant.teamId === teamId)
    return Math.max(roles.none, ...given.map(({ role }) => role))
  }
  const isGranted = (teamId: string): boolean => standing.grants.some((grant) => grant.teamId === teamId)

  for (const [teamId, { role, group, team }] of matches) {
    if (teamId === null || team === null) continue
    const wanted = Math.max(role, elsewhere(teamId))
    const current = standing.roles.get(teamId)
    if (current !== undefined && !isGranted(teamId)) {
      effects.push({ kind: 'by-hand', team, role: current })
      continue
    }
    grants.push({ teamId, role })
    if (current === undefined) effects.push({ kind: 'join', teamId, team, role: wanted, group })
    else if (current !== wanted) effects.push({ kind: 'role', teamId, team, role: wanted, group })
  }

  for (const { teamId } of standing.grants.filter((grant) => grant.own)) {
    if (teamId === null || matches.has(teamId)) continue
    const current = standing.roles.get(teamId)
    if (current === undefined) continue
    const team = standing.teamNames.get(teamId) ?? teamId
    const rest = elsewhere(teamId)
    if (rest === roles.none) effects.push({ kind: 'leave', teamId, team })
    else if (rest !== current) effects.push({ kind: 'role', teamId, team, role: rest, group: undefined })
  }

  const admin = matches.get(null)
  const wasGranted = standing.grants.some((grant) => grant.own && grant.teamId === null)
  if (admin && !standing.admin) effects.push({ kind: 'admin', group: admin.group })
  // Whoever was made an administrator by hand stays one, so nothing is granted that could be taken back.
  if (admin && (!standing.admin || wasGranted)) grants.push({ teamId: null, role: roles.admin })
  if (!admin && wasGranted && standing.admin && elsewhere(null) === roles.none) effects.push({ kind: 'no-admin' })
  return { effects, grants }
}

const titles: Record<string, string> = {
  dashboard: 'Dashboard Only',
  viewer: 'Viewer',
  member: 'Member',
  owner: 'Owner',
}
const title = (role: number): string => titles[roleName(role)] ?? roleName(role)
const by = (group: string | undefined): string => (group === undefined ? '' : `, by the group “${group}”`)

/** An effect in a sentence for administrators. */
export function sentenceOf(effect: Effect): string {
  switch (effect.kind) {
    case 'join':
      return `Joins “${effect.team}” as ${title(effect.role)}${by(effect.group)}.`
    case 'role':
      return `Becomes ${title(effect.role)} of “${effect.team}”${by(effect.group)}.`
    case 'leave':
      return `Leaves “${effect.team}”: no group gives a role there any more.`
    case 'by-hand':
      return `Stays ${title(effect.role)} of “${effect.team}”: the role was given by hand.`
    case 'admin':
      return `Becomes an administrator${by(effect.group)}.`
    case 'no-admin':
      return 'Is no administrator any more: no group gives it.'
  }
}

/** The provider said nothing of groups, which is another thing than that there are none. */
export const noGroups = 'The provider sent no groups, so the rules changed nothing.'
/** Why an effect did not come about. */
export const unless = {
  full: (team: string) => `Does not join “${team}”: the team is full.`,
  onlyOwner: (team: string) => `Stays Owner of “${team}”: it has no other owner.`,
  lastAdmin: 'Stays an administrator: there is no other.',
}
