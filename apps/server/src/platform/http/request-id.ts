import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Proxies send hexadecimal digits, or a UUID. Nothing else is taken, so that no line of a log can be forged. */
const usual = /^[\w-]{8,64}$/

/**
 * The id by which a request is found in the logs: that of the reverse proxy (`X-Request-Id`), if it is believed, or one of
 * our own.
 */
export function requestIdOf(request: IncomingMessage, viaProxy: (request: IncomingMessage) => boolean): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && usual.test(given) && viaProxy(request) ? given : newId()
}

/** Random for each server, and counted within it: random digits for each request take ten times as long. */
const ofServer = randomBytes(4).toString('hex')
let count = 0
const newId = (): string => `${ofServer}${(count++ % 0x1_0000_0000).toString(16).padStart(8, '0')}`

/** The log, each line with the id of this request. */
export const logOf = ({ log, id }: FastifyRequest): FastifyBaseLogger => log.child({ reqId: id })
