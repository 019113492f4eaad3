import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { hostOf, targetOf } from './host.ts'
import { badRequest, sendNotice, wrongHost } from './pages.ts'
import { answerProbe, probePath } from './probe.ts'
import type { Proxy } from './proxy.ts'
import { isWebSocket } from './upgrade.ts'

export interface ListenerOptions {
  /** Who answers under a host; `host` is as `hostOf` returns it. */
  roleOf: (host: string) => HostRole
  /** Where the console is, for whoever asks under a foreign name. */
  consoleUrl: string
  console: RequestListener
  proxy: Proxy
}

/** `foreign`: a name that is not ours, such as one of somebody else that leads here. */
export type HostRole = 'console' | 'instance' | 'foreign'

/** What programs that watch the platform ask for, by whatever name or address they know it. */
const probes = /^\/(livez|readyz|metrics)(\?|$)/

/** A server whose closing also ends the WebSockets it handed over, which it would otherwise wait for. */
class Listener extends Server {
  readonly #proxy: Proxy
  constructor(proxy: Proxy, options: ServerOptions<typeof IncomingMessage, typeof ServerResponse>) {
    super(options)
    this.#proxy = proxy
  }
  override close(done?: (error?: Error) => void): this {
    this.#proxy.close()
    return super.close(done)
  }
}

/**
 * The listening server of the platform: the Host header decides whether the console or an instance answers. Without
 * one usable Host header, or with a target on another host, the answer is 400; under a foreign name it is 421.
 */
export function createListener({ roleOf, consoleUrl, console, proxy }: ListenerOptions): Server {
  const dispatch = (request: IncomingMessage, response: ServerResponse) => {
    const host = hostOf(request)
    const target = host === undefined ? undefined : targetOf(request, host)
    if (host === undefined || target === undefined) return sendNotice(request, response, badRequest)
    const role = roleOf(host)
    if (role === 'instance') return proxy.request(request, response)
    if (role === 'foreign' && !probes.test(target)) return sendNotice(request, response, wrongHost(consoleUrl))
    request.url = target
    return console(request, response)
  }
  const server = new Listener(proxy, {
    insecureHTTPParser: false,
    // Longer than the idle time of usual proxies before us, or they would reuse connections that we close.
    keepAliveTimeout: 72_000,
    shouldUpgradeCallback: (request) => {
      const host = hostOf(request)
      if (host === undefined || !isWebSocket(request)) return false
      return roleOf(host) === 'instance' || request.url === probePath
    },
  })
  server.on('request', dispatch)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const host = hostOf(request)
    // An instance says itself whether it wants the body.
    if (host === undefined || roleOf(host) !== 'instance') response.writeContinue()
    dispatch(request, response)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const host = hostOf(request)
    if (host === undefined || roleOf(host) !== 'instance') return answerProbe(request, socket)
    return proxy.upgrade(request, socket, head)
  })
  return server
}
