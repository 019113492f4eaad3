import { randomUUID } from 'node:crypto'
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

/** 15 random digits of a UUID, for which Node.js fetches random bytes in large portions: one by one takes twenty times as long. */
const newId = (): string => randomUUID().replaceAll('-', '').slice(0, 16)
