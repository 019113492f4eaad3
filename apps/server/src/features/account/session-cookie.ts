import type { FastifyRequest } from 'fastify'
import type { Actor } from '../../platform/authz/actor.ts'
import { consoleCookie } from '../../platform/http/console-cookie.ts'
import { browserLife } from './browsers.service.ts'
import { type Caller, sessionLife } from './sessions.service.ts'

/** The cookie of a session. */
export const sessionCookie = (secure: boolean) => consoleCookie('sid', { secure, life: sessionLife.absolute })
export type SessionCookie = ReturnType<typeof sessionCookie>

/** The cookie by which a browser is known again at the next sign-in. It opens nothing, and stays when people sign out. */
export function browserCookie(secure: boolean) {
  const cookie = consoleCookie('browser', { secure, life: browserLife })
  return {
    name: cookie.name,
    set: cookie.set,
    /** The caller of a request that nobody has signed in for yet. */
    callerOf: ({ request, actor }: { request: FastifyRequest; actor: Actor }): Caller => ({
      address: actor.address,
      userAgent: request.headers['user-agent'] ?? '',
      browser: cookie.of(request),
    }),
  }
}
export type BrowserCookie = ReturnType<typeof browserCookie>
