import type { FastifyReply, FastifyRequest } from 'fastify'
import { newToken } from '../../platform/crypto.ts'
import { requestMs } from './oauth.service.ts'

const made = /^ffsb_[\w-]{43}$/

/** Ties the sign-ins to editors that a browser begins to that browser. It opens nothing by itself. */
export function signInCookie(secure: boolean) {
  const name = secure ? '__Host-sign-in' : 'sign-in'
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'lax' as const }
  return {
    name,
    /** The value of this browser, or an empty text when it has none. */
    of: (request: FastifyRequest): string => request.cookies[name] ?? '',
    /** The value of this browser, which keeps it as long as a sign-in may take; a new one when it has none of ours. */
    keep(request: FastifyRequest, reply: FastifyReply): string {
      const known = request.cookies[name] ?? ''
      const value = made.test(known) ? known : newToken('ffsb')
      void reply.setCookie(name, value, { ...attributes, maxAge: requestMs / 1000 })
      return value
    },
  }
}
export type SignInCookie = ReturnType<typeof signInCookie>
