import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * A cookie of the console: for its host alone, closed to scripts, and `__Host-` wherever the console is served over TLS.
 * `strict`: not sent either with a link from another site.
 */
export function consoleCookie(
  plainName: string,
  { secure, life, strict = false }: { secure: boolean /** In milliseconds. */; life: number; strict?: boolean },
) {
  const name = secure ? `__Host-${plainName}` : plainName
  const attributes = { path: '/', httpOnly: true, secure, sameSite: strict ? ('strict' as const) : ('lax' as const) }
  return {
    name,
    of: (request: FastifyRequest): string | undefined => request.cookies[name],
    set: (reply: FastifyReply, value: string) =>
      void reply.setCookie(name, value, { ...attributes, maxAge: life / 1000 }),
    clear: (reply: FastifyReply) => void reply.clearCookie(name, attributes),
  }
}
