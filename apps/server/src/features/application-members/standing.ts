import { limited, mayDiffer, roles } from '@app/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Reach } from '../../platform/authz/reach.ts'

/** The roles of a person as queries find them; null: none. */
export interface Standing {
  /** In the team. */
  role: number | null
  /** In the application. */
  application_role: number | null
}

/**
 * The role of a person on what belongs to an application: the one in the application if they have one, else the one in
 * the team. Undefined: it does not exist for them. Owners own every application, and dashboard users stay such.
 */
export function roleThere({ role, application_role: own }: Standing): number | undefined {
  if (role === null) return undefined
  if (own !== null && mayDiffer(role)) return own
  return role === limited ? undefined : role
}

/** The same for whoever calls: an administrator in a browser has every right, a program none of its own. */
export function callerRole(actor: Actor, standing: Standing): number | undefined {
  if (actor.kind === 'system') return roles.admin
  if (actor.kind !== 'user') return undefined
  return actor.admin && 'session' in actor.via ? roles.admin : roleThere(standing)
}

/**
 * The condition that the application which a column names is within reach; undefined where all are. To be used beside
 * one that names the team.
 */
export function within(reach: Reach, column: string): RawBuilder<SqlBool> | undefined {
  if (reach === 'all') return undefined
  return sql<SqlBool>`${sql.ref(column)} in (select application_id from application_members where user_id = ${reach.userId})`
}
