import type { FastifyReply } from 'fastify'
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
