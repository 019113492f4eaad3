import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../platform/authz/actor.ts'
import { browserLife } from './browsers.service.ts'
import { type Caller, sessionLife } from './sessions.service.ts'

/** The session cookie: `__Host-` wherever the console is served over TLS. */
export function sessionCookie(secure: boolean) {
  const name = secure ? '__Host-sid' : 'sid'
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'lax' as const }
  return {
    name,
    set: (reply: FastifyReply, token: string) =>
      void reply.setCookie(name, token, { ...attributes, maxAge: sessionLife.absolute / 1000 }),
    clear: (reply: FastifyReply) => void reply.clearCookie(name, attributes),
  }
}
export type SessionCookie = ReturnType<typeof sessionCookie>

/** The cookie by which a browser is known again at the next sign-in. It opens nothing, and stays when people sign out. */
export function browserCookie(secure: boolean) {
  const name = secure ? '__Host-browser' : 'browser'
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'lax' as const }
  return {
    name,
    set: (reply: FastifyReply, token: string) =>
      void reply.setCookie(name, token, { ...attributes, maxAge: browserLife / 1000 }),
    /** Who makes a request, before it is known who they are. */
    callerOf: ({ request, actor }: { request: FastifyRequest; actor: Actor }): Caller => ({
      address: actor.address,
      userAgent: request.headers['user-agent'] ?? '',
      browser: request.cookies[name],
    }),
  }
}
export type BrowserCookie = ReturnType<typeof browserCookie>
