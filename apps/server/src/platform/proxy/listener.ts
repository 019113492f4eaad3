import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { hostOf, targetOf } from './host.ts'
import { badRequest, sendNotice } from './pages.ts'
import { answerProbe, probePath } from './probe.ts'
import type { Proxy } from './proxy.ts'
import { isWebSocket } from './upgrade.ts'

export interface ListenerOptions {
  /** `host` is as `hostOf` returns it. */
  isConsole: (host: string) => boolean
  console: RequestListener
  proxy: Proxy
}

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
 * one usable Host header, or with a target on another host, the answer is 400.
 */
export function createListener({ isConsole, console, proxy }: ListenerOptions): Server {
  const dispatch = (request: IncomingMessage, response: ServerResponse) => {
    const host = hostOf(request)
    const target = host === undefined ? undefined : targetOf(request, host)
    if (host === undefined || target === undefined) return sendNotice(request, response, badRequest)
    if (!isConsole(host)) return proxy.request(request, response)
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
      return !isConsole(host) || request.url === probePath
    },
  })
  server.on('request', dispatch)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const host = hostOf(request)
    // An instance says itself whether it wants the body.
    if (host === undefined || isConsole(host)) response.writeContinue()
    dispatch(request, response)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const host = hostOf(request)
    if (host === undefined || isConsole(host)) return answerProbe(request, socket)
    return proxy.upgrade(request, socket, head)
  })
  return server
}
