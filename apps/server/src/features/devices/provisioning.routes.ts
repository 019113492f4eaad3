import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Provisioning } from './provisioning.service.ts'

/** The provisioning tokens of a team. */
export function provisioningHandlers(provisioning: Provisioning): Handlers<RouteIdOf<'provisioning'>> {
  return {
    async 'provisioning.list'({ team }, { query }) {
      return provisioning.list(team.id, query)
    },
    async 'provisioning.create'({ actor, team }, { body }) {
      return provisioning.create(actor, team.id, body)
    },
    async 'provisioning.update'({ actor, team }, { params, body }) {
      return provisioning.update(actor, team.id, params.tokenId, body)
    },
    async 'provisioning.delete'({ actor, team }, { params }) {
      await provisioning.delete(actor, team.id, params.tokenId)
      return okay
    },
  }
}
