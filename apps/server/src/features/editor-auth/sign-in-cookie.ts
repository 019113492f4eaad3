import type { FastifyReply, FastifyRequest } from 'fastify'
import { newToken } from '../../platform/crypto.ts'
import { consoleCookie } from '../../platform/http/console-cookie.ts'
import { requestMs } from './editor-auth.service.ts'

const made = /^ffsb_[\w-]{43}$/

/** Ties the sign-ins to editors that a browser begins to that browser. It opens nothing by itself. */
export function signInCookie(secure: boolean) {
  const cookie = consoleCookie('sign-in', { secure, life: requestMs })
  const of = (request: FastifyRequest): string => cookie.of(request) ?? ''
  return {
    name: cookie.name,
    /** The value of this browser, or an empty text when it has none. */
    of,
    /** The value of this browser, which keeps it as long as a sign-in may take; a new one when it has none of ours. */
    keep(request: FastifyRequest, reply: FastifyReply): string {
      const known = of(request)
      const value = made.test(known) ? known : newToken('ffsb')
      cookie.set(reply, value)
      return value
    },
  }
}
export type SignInCookie = ReturnType<typeof signInCookie>
