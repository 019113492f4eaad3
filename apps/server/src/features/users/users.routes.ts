import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Users } from './users.service.ts'

export function userHandlers(users: Users): Handlers<RouteIdOf<'user'>> {
  return {
    'user.list': async (_context, { query }) => users.list(query),
    'user.create': async ({ actor }, { body }) => users.create(actor, body),
    'user.get': async (_context, { params }) => users.get(params.userId),
    async 'user.teams'(_context, { params }) {
      const teams = await users.teams(params.userId)
      return { meta: {}, count: teams.length, teams }
    },
    'user.update': async ({ actor }, { params, body }) => users.update(actor, params.userId, body),
    async 'user.delete'({ actor }, { params }) {
      await users.remove(actor, params.userId)
      return okay
    },
    async 'user.endSessions'({ actor }, { params }) {
      await users.endSessions(actor, params.userId)
      return okay
    },
    'user.makeLink': async ({ actor }, { params, body }) => users.makeLink(actor, params.userId, body.purpose),
  }
}
