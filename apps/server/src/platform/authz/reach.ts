import { limited } from '@app/contract'
import type { Actor } from './actor.ts'

/** Part of a team that a caller sees: all, or only what this person has a role in. */
export type Reach = 'all' | { userId: string }

/** The reach of a caller who was let in with this role in the team. */
export function reachOf(actor: Actor, role: number): Reach {
  if (actor.kind !== 'user' || role !== limited) return 'all'
  const isAdministrator = actor.admin && 'session' in actor.via
  return isAdministrator ? 'all' : { userId: actor.userId }
}
