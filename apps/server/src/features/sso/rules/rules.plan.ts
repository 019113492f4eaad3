import { limited, roles } from '@app/contract'
import { applicationsPlan, locationOf } from './applications.plan.ts'
import {
  type Entitled,
  entitledBy,
  type Given,
  type Match,
  matchesOf,
  type Rule,
  type Standing,
} from './rules.matches.ts'
import type { Effect } from './rules.sentences.ts'

export interface Plan {
  effects: Effect[]
  /** Everything that the provider grants from now on, in the place of what it granted before. */
  grants: Given[]
}

/**
 * Says what rules change for a person with these groups. A membership or a role in an application that nobody but a rule
 * gave follows the rules: another role, and the end once no group gives it. One that was given by hand stays as it is.
 * While roles in applications are off, those that rules gave before can only end.
 */
export function planFor(
  rules: readonly Rule[],
  groups: readonly string[],
  standing: Standing,
  { applicationRoles }: { applicationRoles: boolean },
): Plan {
  const matches = matchesOf(rules, groups)
  const entitled = entitledBy(standing.grants)
  const off = applicationRoles ? [] : matches.filter(({ applicationId }) => applicationId !== null)
  const counting = matches.flatMap((match): Match[] => {
    if (match.applicationId === null || applicationRoles) return [match]
    const role = entitled.own(match)
    return role === undefined ? [] : [{ ...match, role }]
  })
  const teams = teamsPlan(counting, standing, entitled)
  const applications = applicationsPlan(counting, standing, entitled, teams.roles)
  const admin = adminPlan(counting, standing, entitled)
  const told = off.map((match): Effect => ({ kind: 'application-off', ...locationOf(match) }))
  return {
    effects: [...teams.effects, ...applications.effects, ...told, ...admin.effects],
    grants: [...teams.grants, ...applications.grants, ...admin.grants],
  }
}

/** A role in an application makes a limited member of somebody who has none in the team. */
function teamsPlan(matches: readonly Match[], standing: Standing, entitled: Entitled) {
  const effects: Effect[] = []
  const grants: Given[] = []
  /** The role in each of these teams once the effects have come about. */
  const after = new Map<string, number | undefined>()
  const inTeams = Map.groupBy(
    matches.filter(({ teamId }) => teamId !== null),
    ({ teamId }) => teamId!,
  )
  const granted = standing.grants.flatMap(({ own, teamId, applicationId }) =>
    own && teamId !== null && applicationId === null ? [teamId] : [],
  )
  for (const teamId of new Set([...inTeams.keys(), ...granted])) {
    const here = inTeams.get(teamId) ?? []
    const target = { teamId, applicationId: null }
    const whole = here.find(({ applicationId }) => applicationId === null)
    const source = whole ?? here[0]
    const team = source?.teamName ?? standing.teamNames.get(teamId) ?? teamId
    const current = standing.roles.get(teamId)
    after.set(teamId, current)
    if (current !== undefined && !entitled.isGranted(target)) {
      if (whole) effects.push({ kind: 'by-hand', teamId, team, role: current })
      continue
    }
    if (current === undefined && !source) continue
    const own = whole?.role ?? (source ? limited : roles.none)
    const rest = Math.max(own, entitled.elsewhere(target))
    // A role that somebody gave by hand in an application stays, which it does with a membership alone.
    const held = rest < roles.viewer && rest !== limited && hasByHand(teamId, standing, entitled)
    const wanted = held ? limited : rest
    if (own > roles.none || held) grants.push({ ...target, role: held ? limited : own })
    after.set(teamId, wanted === roles.none ? undefined : wanted)
    const group = own === wanted ? source?.group : undefined
    if (current === undefined) effects.push({ kind: 'join', teamId, team, role: wanted, group })
    else if (wanted === roles.none) effects.push({ kind: 'leave', teamId, team })
    else if (wanted !== current)
      effects.push({ kind: 'role', teamId, team, role: wanted, group, ...(held && { held }) })
  }
  return { effects, grants, roles: after }
}

const hasByHand = (teamId: string, { applications }: Standing, entitled: Entitled): boolean =>
  [...applications].some(
    ([applicationId, one]) => one.teamId === teamId && !entitled.isGranted({ teamId, applicationId }),
  )

function adminPlan(matches: readonly Match[], standing: Standing, entitled: Entitled): Plan {
  const target = { teamId: null, applicationId: null }
  const match = matches.find(({ teamId }) => teamId === null)
  const wasGranted = entitled.own(target) !== undefined
  const effects: Effect[] = []
  if (match && !standing.admin) effects.push({ kind: 'admin', group: match.group })
  if (!match && wasGranted && standing.admin && entitled.elsewhere(target) === roles.none)
    effects.push({ kind: 'no-admin' })
  // A person who was made an administrator by hand stays one, so nothing is granted that could be taken back.
  const grants = match && (!standing.admin || wasGranted) ? [{ ...target, role: roles.admin }] : []
  return { effects, grants }
}
