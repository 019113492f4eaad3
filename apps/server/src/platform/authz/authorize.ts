import { allows, limited, roles, ruleOf, type Scope, type switchSettings, type Target } from '@app/contract'
import { fail } from '../http/failure.ts'
import type { Actor, UserActor } from './actor.ts'
import type { Callers } from './callers.ts'

/** A target as its feature loads it: whose it is, and the caller's role there, if any. */
export interface LoadedTarget {
  teamId: string
  /** Absent: the caller is no member of the team. */
  role: number | undefined
  /** Its id, where there are tokens for one such target alone. */
  targetId?: string
  /** The caller is the person whom the path names within it. */
  own?: boolean
}

export interface Rules {
  /** Platform settings that govern scopes and switches, by their name. */
  setting(name: 'team:create' | (typeof switchSettings)[keyof typeof switchSettings]): Promise<boolean>
  callers: Callers
}

/** Is this anything but the target that the token of the caller is for? */
function isForeign({ via }: UserActor, loaded: LoadedTarget | undefined): boolean {
  return 'token' in via && via.targetId !== undefined && loaded?.targetId !== via.targetId
}

/**
 * Judges a request in the order of docs/specification/permissions.md and returns the caller's role on the target.
 * What is not allowed throws: 401 without identity, 404 for another team's object, 403 below the minimum.
 * `isByReach`: limited members may as well, since the answer has nothing beyond their reach.
 */
export async function authorize(
  actor: Actor,
  scope: Scope,
  target: Target,
  loaded: LoadedTarget | undefined,
  rules: Rules,
  isByReach = false,
): Promise<number> {
  if (actor.kind === 'anonymous') throw fail('unauthorized')
  if (actor.kind === 'system') return roles.admin
  if (actor.kind !== 'user') {
    const program = rules.callers[actor.kind]
    if (!program) throw fail('unauthorized', undefined, { status: 403 })
    return program.judge(actor, { scope, target, loaded })
  }

  const inTeam = target !== 'platform' && target !== 'self'
  if (inTeam && !loaded) throw fail('not_found')
  const session = 'session' in actor.via
  if (actor.admin && session) return loaded?.role ?? roles.admin
  if (inTeam && loaded?.role === undefined) throw fail('not_found')
  if (inTeam && isForeign(actor, loaded)) throw fail('not_found')
  const rule = ruleOf(scope)
  const own = rule.self === true && (target === 'self' || loaded?.own === true)
  const role = loaded?.role ?? roles.none
  const isLimited = isByReach && role === limited
  const refused =
    (!own && !isLimited && !allows(role, scope)) ||
    (rule.setting !== undefined && !(await rules.setting(rule.setting))) ||
    ('token' in actor.via && !actor.via.scopes.includes(scope))
  if (refused) throw fail('unauthorized', undefined, { status: 403 })
  return role
}
