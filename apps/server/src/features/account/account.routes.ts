import { okay, type RouteIdOf } from '@app/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../platform/http/failure.ts'
import type { Handlers } from '../../platform/http/context.ts'
import type { Accounts } from './account.service.ts'
import { sessionLife } from './sessions.service.ts'

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

export const callerOf = (request: FastifyRequest) => ({
  address: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
})

export function accountHandlers(
  accounts: Accounts,
  cookie: SessionCookie,
): Handlers<Exclude<RouteIdOf<'account'>, 'account.accessRequest'>> {
  return {
    async 'account.login'({ actor, request, reply }, { body }) {
      const { token } = await accounts.signIn(body.username, body.password, callerOf(request), actor)
      cookie.set(reply, token)
      await reply.code(200).send()
    },
    async 'account.logout'({ actor, reply }) {
      await accounts.signOut(actor)
      cookie.clear(reply)
      return okay
    },
    async 'account.verify'() {
      throw fail('invalid_request', 'No mail can be sent: mail is not configured on this platform')
    },
    'account.get': async ({ actor }) => accounts.get(actor),
    'account.update': async ({ actor }, { body }) => accounts.update(actor, body),
    async 'account.changePassword'({ actor }, { body }) {
      await accounts.changePassword(actor, body.old_password, body.password)
      return okay
    },
    async 'account.sessions'({ actor }) {
      const sessions = await accounts.sessions(actor)
      return { count: sessions.length, sessions }
    },
    async 'account.endSession'({ actor }, { params }) {
      await accounts.endSession(actor, params.sessionId)
      return okay
    },
  }
}
