import { flowCookies } from '@app/contract/instance-link.constants'
import type { IncomingMessage } from 'node:http'
import type { ForwardedOptions } from './forwarded.ts'

/**
 * The visitor, where it matters which process of an instance answers: the slot of that process, or one and the same
 * for a name.
 */
export type Visitor = { place: 0 | 1 } | { name: string }

/** The sign-in that is under way comes before one that may have ended. */
const placeIn = [flowCookies.state, flowCookies.session].map((name) => new RegExp(`(?:^|;)\\s*${name}=([01])\\.`))

function slotOf(cookies: string): 0 | 1 | undefined {
  const found = placeIn.map((pattern) => pattern.exec(cookies)?.[1]).find((place) => place !== undefined)
  return found === undefined ? undefined : found === '0' ? 0 : 1
}

/**
 * Whoever has signed in to the addresses of flows is known to one process alone. Without that, all requests of one
 * browser to socket.io, on which dashboards stand, have to reach the same process: it holds the session that they
 * belong to. There by address and browser, since pages of other hosts and programs would not send a cookie.
 * Undefined for every other request. `cookie`: those of the instance, under the names that it gave them.
 */
export function visitorOf(
  request: IncomingMessage,
  target: string,
  options: ForwardedOptions,
  cookie: string | undefined,
): Visitor | undefined {
  const place = cookie?.includes(flowCookies.session) ? slotOf(cookie) : undefined
  if (place !== undefined) return { place }
  if (!/[?&]EIO=\d/.test(target)) return undefined
  return { name: `${options.trust.clientAddress(request)} ${request.headers['user-agent']}` }
}
