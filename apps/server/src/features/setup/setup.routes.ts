import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import { callerOf, type SessionCookie } from '../account/index.ts'
import type { Setup } from './setup.service.ts'

export function setupHandlers(setup: Setup, cookie: SessionCookie): Handlers<RouteIdOf<'setup'>> {
  return {
    async 'setup.complete'({ request, reply }, { body }) {
      const { token, reply: answer } = await setup.complete(body, callerOf(request))
      cookie.set(reply, token)
      return answer
    },
  }
}
