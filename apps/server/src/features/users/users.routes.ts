import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Users } from './users.service.ts'

export function userHandlers(users: Users): Handlers<RouteIdOf<'user'>> {
  return {
    'user.update': async ({ actor }, { params, body }) => users.update(actor, params.userId, body),
    'user.makeLink': async ({ actor }, { params, body }) => users.makeLink(actor, params.userId, body.purpose),
  }
}
