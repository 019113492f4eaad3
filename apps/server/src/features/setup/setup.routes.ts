import type { RouteIdOf } from '@app/contract'
import type { FastifyRequest } from 'fastify'
import type { Handlers } from '../../platform/http/context.ts'
import { callerOf, type SessionCookie } from '../account/index.ts'
import type { SetupRestore } from './setup.restore.ts'
import type { Setup } from './setup.service.ts'

const bearerOf = (request: FastifyRequest) => /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''

export function setupHandlers(
  setup: Setup,
  restore: SetupRestore,
  cookie: SessionCookie,
): Handlers<RouteIdOf<'setup'>> {
  return {
    async 'setup.complete'({ request, reply }, { body }) {
      const { token, reply: answer } = await setup.complete(body, callerOf(request))
      cookie.set(reply, token)
      return answer
    },
    'setup.restoreStatus': async ({ request }) => restore.status(bearerOf(request)),
    'setup.upload': async ({ request }) => restore.upload(bearerOf(request), request.raw),
    'setup.restore': async (_context, { body }) => restore.begin(body.token, body.passphrase),
  }
}
