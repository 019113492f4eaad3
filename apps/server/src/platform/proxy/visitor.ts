import type { IncomingMessage } from 'node:http'
import type { ForwardedOptions } from './forwarded.ts'

/**
 * Who asks, where all requests of one browser have to reach the same process: socket.io, on which dashboards stand,
 * holds a session in the process that began it and asks for it by one request after the other. Undefined for every
 * other request. By address and browser and not by a cookie, which pages of other hosts and programs would not send.
 */
export function visitorOf(request: IncomingMessage, target: string, options: ForwardedOptions): string | undefined {
  if (!/[?&]EIO=\d/.test(target)) return undefined
  return `${options.trust.clientAddress(request)} ${request.headers['user-agent']}`
}
