import { roles } from '@app/contract'

/** The reach of a rule: a team, one application of it, or without a team the whole platform. */
export interface Target {
  teamId: string | null
  applicationId: string | null
}

/** Something that a rule gave before. */
export interface Grant extends Target {
  /** None for an application that is deleted. */
  role: number
  /** Is it of the provider at hand? Those of other providers stay as they are. */
  own: boolean
  teamName: string | null
  applicationName: string | null
}

/** A person before rules are applied. */
export interface Standing {
  admin: boolean
  /** The role in each team. */
  roles: ReadonlyMap<string, number>
  teamNames: ReadonlyMap<string, string>
  /** The role in each application where the person has one of its own. */
  applications: ReadonlyMap<string, { teamId: string; role: number }>
  grants: readonly Grant[]
}

/** A role for a target. */
export type Given = Target & { role: number }

/** A rule, with the names of its team and its application; without a team it makes an administrator. */
export interface Rule extends Target {
  group: string
  teamName: string | null
  applicationName: string | null
  role: number
}

/** The rule that counts for its target. */
export type Match = Rule

const keyOf = ({ teamId, applicationId }: Target): string => `${teamId ?? ''} ${applicationId ?? ''}`

/** The rules of these groups: for each target the one with the highest role. Groups count letter by letter. */
export function matchesOf(rules: readonly Rule[], groups: readonly string[]): Match[] {
  const own = new Set(groups)
  const best = new Map<string, Match>()
  for (const rule of rules) {
    const key = keyOf(rule)
    if (own.has(rule.group) && rule.role > (best.get(key)?.role ?? roles.none)) best.set(key, rule)
  }
  return [...best.values()]
}

export type Entitled = ReturnType<typeof entitledBy>

/** Everything that rules gave before, by target. */
export function entitledBy(grants: readonly Grant[]) {
  const at = Map.groupBy(grants, keyOf)
  const of = (target: Target) => at.get(keyOf(target)) ?? []
  return {
    isGranted: (target: Target): boolean => of(target).length > 0,
    /** The role that the provider at hand gave; undefined: none. */
    own: (target: Target): number | undefined => of(target).find((grant) => grant.own)?.role,
    /** The highest role that other providers give. */
    elsewhere: (target: Target): number =>
      Math.max(roles.none, ...of(target).flatMap(({ own, role }) => (own ? [] : [role]))),
  }
}
