import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Instances } from '../instances/index.ts'
import type { Applications } from './applications.service.ts'

export function applicationHandlers(
  applications: Applications,
  instances: Instances,
): Handlers<RouteIdOf<'application'>> {
  return {
    async 'application.listOfTeam'({ team, reach }) {
      const list = await applications.ofTeam(team.id, reach)
      return { meta: {}, count: list.length, applications: list }
    },
    async 'application.statusOfTeam'({ team, reach }) {
      const list = await applications.statesOfTeam(team.id, reach)
      return { meta: {}, count: list.length, applications: list }
    },
    'application.create': async ({ actor, team }, { body }) => applications.create(actor, team, body.name),
    'application.get': async ({ application }) => applications.view(application, application.team),
    'application.update': async ({ actor, application }, { body }) =>
      applications.rename(actor, application, application.team, body.name),
    async 'application.delete'({ actor, application }) {
      await applications.delete(actor, application, application.team)
      return okay
    },
    async 'application.instances'({ application }) {
      const list = await instances.summaries({ applicationId: application.id })
      return { meta: {}, count: list.length, instances: list.map(({ summary }) => summary) }
    },
    async 'application.status'({ application }) {
      const list = await instances.states({ applicationId: application.id })
      return { meta: {}, count: list.length, instances: list.map(({ state }) => state) }
    },
  }
}
