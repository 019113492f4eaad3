import { okay, type RouteIdOf } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Handlers } from '../../platform/http/context.ts'
import type { Quotas } from './quotas.service.ts'
import type { TeamTypes } from './team-types.service.ts'

/** The number of teams of a type is for administrators only. */
export const isAdmin = (actor: Actor) => actor.kind === 'user' && actor.admin

export function teamTypeHandlers(types: TeamTypes, quotas: Quotas): Handlers<RouteIdOf<'teamType'>> {
  return {
    'teamType.get': async ({ actor }, { params }) => types.get(params.teamTypeId, isAdmin(actor)),
    'teamType.create': async ({ actor }, { body }) => types.get(await types.create(actor, body), true),
    async 'teamType.update'({ actor }, { params, body }) {
      await types.update(actor, params.teamTypeId, body)
      return types.get(params.teamTypeId, true)
    },
    'teamType.preview': async (_context, { params, body }) => types.preview(params.teamTypeId, body),
    async 'teamType.delete'({ actor }, { params }) {
      await types.remove(actor, params.teamTypeId)
      return okay
    },
    'teamType.quotas': async ({ team }, { query }) => quotas.ofTeam(team.id, query.type),
  }
}
