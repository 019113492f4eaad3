import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Body, bodyOf, type Endpoint, type Exchange, forward, type Spare } from './forward.ts'
import { createAgent } from './connect.ts'
import { type CookieRules, withoutCookies } from './cookies.ts'
import { type ForwardedOptions, forwardedHeaders } from './forwarded.ts'
import { hostOf, targetOf } from './host.ts'
import { badRequest, type Notice, sendNotice, tokenInAddress } from './pages.ts'
import { ownSecrets } from './secrets.ts'
import { forwardUpgrade, responseOn } from './upgrade.ts'

/** The destination of a host name. */
export type Destination =
  | {
      kind: 'ready'
      endpoint: Endpoint
      /** Where the request goes when nobody takes the connection there. */
      spare?: Spare
      /** Told that a request goes there, and how to cut it off; what it returns is called when that is over. */
      begin?: (exchange: { destroy(): void }) => () => void
    }
  /** Nothing answers there now, for this reason. */
  | { kind: 'refused'; notice: Notice }

/** `Visitor`: what tells requests apart that have to reach the same upstream. */
export interface ProxyOptions<Visitor = unknown> extends ForwardedOptions {
  /**
   * `host` is as `hostOf` returns it. Asked for every request, so it should answer at once when it can.
   */
  resolve: (host: string, visitor: Visitor | undefined) => Destination | Promise<Destination>
  /** Absent: no request needs the upstream of another one. `cookie`: those of the upstream, by the names that it gave. */
  visitorOf?: (
    request: IncomingMessage,
    target: string,
    address: () => string | undefined,
    cookie: string | undefined,
  ) => Visitor | undefined
  notices: Exchange['notices']
  /**
   * The names of an upstream's cookies begin with this in browsers, where upstreams share a host; undefined: each has one.
   * Upstreams see only their own then, and by the names that they gave.
   */
  cookiePrefix?: (host: string) => string | undefined
  /** Names of the console's cookies: upstreams neither see nor set them. */
  platformCookies: readonly string[]
  /** Tokens that the operator has chosen, for calls of the platform. */
  configuredTokens?: readonly string[]
  /** Headers that every answer of an upstream gets, as name, value, name, value. */
  added?: readonly string[]
}

export interface Proxy {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Number of open WebSockets. */
  upgraded(): number
  /** Ends all WebSockets and the connections to upstreams. */
  close(): void
}

/** The reverse proxy: sends the requests for some host names to the upstreams that have them. */
export function createProxy<Visitor>(options: ProxyOptions<Visitor>): Proxy {
  const { notices, added } = options
  const secrets = ownSecrets(options.platformCookies, options.configuredTokens ?? [])
  const agent = createAgent()
  const upgraded = new Set<Duplex>()
  const refused = new WeakSet<Duplex>()

  function route(
    request: IncomingMessage,
    response: ServerResponse,
    /** Its close is the end of the whole exchange. */
    life: ServerResponse | Duplex,
    go: (exchange: Exchange, body: Body) => void,
  ): void {
    if (refused.has(request.socket)) return
    const host = hostOf(request)
    const target = host === undefined ? undefined : targetOf(request, host)
    const answer = (notice: Notice) => sendNotice(request, response, notice)
    const body = bodyOf(request)
    if (host === undefined || target === undefined || body === undefined) {
      refused.add(request.socket)
      return answer(badRequest)
    }
    if (secrets.isInTarget(target)) return answer(tokenInAddress)
    const prefix = options.cookiePrefix?.(host)
    const own: CookieRules = prefix === undefined ? secrets : { ...secrets, prefix }
    const { cookie } = request.headers
    const cookies = prefix === undefined || cookie === undefined ? cookie : withoutCookies(cookie, own)
    const arrive = (destination: Destination) => {
      if (destination.kind === 'refused') return answer(destination.notice)
      if (response.destroyed || request.socket.destroyed) return
      const { endpoint, spare, begin } = destination
      if (begin) life.once('close', begin(life))
      const forwarded = forwardedHeaders(request, host, options)
      const where = spare ? { endpoint, spare } : { endpoint }
      go({ request, response, ...where, target, forwarded, own, added, agent, notices }, body)
    }
    const address = () => options.trust.clientAddress(request)
    const found = options.resolve(host, options.visitorOf?.(request, target, address, cookies))
    if (found instanceof Promise) found.then(arrive).catch(() => answer(notices.unreachable))
    else arrive(found)
  }

  return {
    request: (request, response) => route(request, response, response, forward),
    upgrade(request, socket, head) {
      upgraded.add(socket)
      socket.once('close', () => upgraded.delete(socket))
      // The server listens no more to a socket that it has handed over, and an error nobody hears ends the process.
      socket.on('error', () => socket.destroy())
      route(request, responseOn(request, socket), socket, (exchange) => forwardUpgrade(exchange, head))
    },
    upgraded: () => upgraded.size,
    close() {
      for (const socket of upgraded) socket.destroy()
      agent.destroy()
    },
  }
}
