import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Deleted } from './deleted.service.ts'

export function deletedHandlers(deleted: Deleted): Handlers<RouteIdOf<'deleted'>> {
  return {
    async 'deleted.list'({ team }) {
      const projects = await deleted.list(team.id)
      return { meta: {}, count: projects.length, projects }
    },
    async 'deleted.restore'({ actor, team }, { params, body }) {
      await deleted.restore(actor, team, params.instanceId, body.name)
      return okay
    },
    async 'deleted.remove'({ actor, team }, { params }) {
      await deleted.remove(actor, team, params.instanceId)
      return okay
    },
  }
}
