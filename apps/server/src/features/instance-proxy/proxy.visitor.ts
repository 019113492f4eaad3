import { flowCookies } from '@app/contract/instance-link.constants'
import type { IncomingMessage } from 'node:http'

/**
 * The visitor, where it matters which process of an instance answers: the slot of that process, or one and the same
 * for a name.
 */
export type Visitor = { slot: 0 | 1 } | { name: string }

/** The sign-in that is under way comes before one that may have ended. */
const slotIn = [flowCookies.state, flowCookies.session].map((name) => new RegExp(`(?:^|;)\\s*${name}=([01])\\.`))

function slotOf(cookies: string): 0 | 1 | undefined {
  const found = slotIn.map((pattern) => pattern.exec(cookies)?.[1]).find((slot) => slot !== undefined)
  return found === undefined ? undefined : found === '0' ? 0 : 1
}

/**
 * A visitor who signed in to the addresses of flows is known to one process alone. Without that, all requests of one
 * browser to socket.io, on which dashboards stand, have to reach the same process: it holds the session that they
 * belong to. There by address and browser, since pages of other hosts and programs would not send a cookie.
 * Undefined for every other request. `cookie`: those of the instance, under the names that it gave them.
 */
export function visitorOf(
  request: IncomingMessage,
  target: string,
  address: () => string | undefined,
  cookie: string | undefined,
): Visitor | undefined {
  const slot = cookie?.includes(flowCookies.session) ? slotOf(cookie) : undefined
  if (slot !== undefined) return { slot }
  if (!/[?&]EIO=\d/.test(target)) return undefined
  return { name: `${address()} ${request.headers['user-agent']}` }
}
