import type { RouteIdOf } from '@app/contract'
import type { FastifyRequest } from 'fastify'
import { bearerOf } from '../../platform/http/bearer.ts'
import type { Handlers } from '../../platform/http/context.ts'
import type { BrowserCookie, SessionCookie } from '../account/index.ts'
import type { SetupRestore } from './setup.restore.ts'
import type { Setup } from './setup.service.ts'

/** Its one-time link; '' without. */
const linkOf = ({ headers }: FastifyRequest): string => bearerOf(headers) ?? ''

export function setupHandlers(
  setup: Setup,
  restore: SetupRestore,
  cookies: { session: SessionCookie; browser: BrowserCookie },
): Handlers<RouteIdOf<'setup'>> {
  return {
    async 'setup.complete'(context, { body }) {
      const { token, browser, reply: answer } = await setup.complete(body, cookies.browser.callerOf(context))
      cookies.session.set(context.reply, token)
      cookies.browser.set(context.reply, browser)
      return answer
    },
    'setup.restoreStatus': async ({ request }) => restore.status(linkOf(request)),
    'setup.upload': async ({ request }) => restore.upload(linkOf(request), request.raw),
    'setup.restore': async (_context, { body }) => restore.begin(body.token, body.passphrase),
  }
}
