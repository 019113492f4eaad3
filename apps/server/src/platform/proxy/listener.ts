import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { hostOf, targetOf } from './host.ts'
import type { FindAnswer } from '../tls/certificate.ts'
import { answersChallenge } from '../tls/challenge.ts'
import { badRequest, sendNotice, wrongHost } from './pages.ts'
import { passUpgrade } from './pass.ts'
import { answerProbe, probePath } from './probe.ts'
import type { Proxy } from './proxy.ts'
import { isWebSocket } from './upgrade.ts'

export interface ListenerOptions {
  /** The role of a host name; `host` is as `hostOf` returns it. */
  roleOf: (host: string) => HostRole
  /** Addresses that answer under whatever host name, as for programs that watch the platform. */
  isAnywhere: (target: string) => boolean
  /** Where the console is, for whoever asks under a foreign name. */
  consoleUrl: string
  console: RequestListener
  proxy: Proxy
  /** Finds what an ACME server is answered; absent: the platform has no certificates by ACME. */
  challenge?: FindAnswer | undefined
  /** Takes WebSockets to a path of the console, each at the Unix socket that the path has; undefined for others. */
  socketFor?: (path: string) => { socketPath: string | undefined } | undefined
  /** Takes WebSockets that the console itself answers; absent: it answers none. */
  sockets?: { has(path: string): boolean; offer(request: IncomingMessage, socket: Duplex, head: Buffer): void }
}

/** `foreign`: a name that is not ours, such as one of somebody else that leads here. */
export type HostRole = 'console' | 'upstream' | 'foreign'

/** Time that connections without a request stay open while the server drains: a client may just be sending one. */
const lingerMs = 2_000
/** So long no request must have come before the last connections are closed. */
const quietMs = 300
const lookEveryMs = 20

function countConnections(server: NetServer): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  server.getConnections((error, count) => resolve(error ? 1 : count))
  return promise
}

/** A server that can drain, and whose closing also ends the WebSockets it handed over. */
export class Listener extends Server {
  readonly #proxy: Proxy
  readonly #answering = new Set<ServerResponse>()
  readonly #passed = new Set<Duplex>()
  /** Servers that hand their connections over to this one. */
  readonly #fronts = new Set<NetServer>()
  readonly #forget: (this: ServerResponse) => void
  #isDraining = false
  #heardAt = 0

  constructor(proxy: Proxy, options: ServerOptions<typeof IncomingMessage, typeof ServerResponse>) {
    super(options)
    this.#proxy = proxy
    const answering = this.#answering
    this.#forget = function () {
      answering.delete(this)
    }
  }

  /** Counts a request until its answer has ended. */
  track(response: ServerResponse): void {
    if (this.#isDraining) response.shouldKeepAlive = false
    this.#heardAt = performance.now()
    this.#answering.add(response)
    response.on('close', this.#forget)
  }

  /**
   * Takes no new connections, answers what comes over those that are open, and tells each client not to reuse its own.
   * Resolves when no request is under way and connections without one are closed, after `seconds`, or when `signal`
   * aborts. WebSockets stay until `close`.
   */
  async drain(seconds: number, signal: AbortSignal): Promise<void> {
    this.#isDraining = true
    // Connections that were handed over by another listener are not counted.
    const isCounted = this.listening
    // The `close` of the HTTP server would cut connections on which a request is just arriving.
    if (isCounted) NetServer.prototype.close.call(this)
    for (const front of this.#fronts) front.close()
    for (const response of this.#answering) if (!response.headersSent) response.shouldKeepAlive = false
    const begun = performance.now()
    const passed = () => performance.now() - begun
    const isQuiet = () =>
      this.#answering.size === 0 && passed() >= lingerMs && performance.now() - this.#heardAt >= quietMs
    while (!signal.aborted && passed() < seconds * 1000) {
      if (isQuiet()) {
        // A process that stood still has timers first, and then reads what came meanwhile.
        for (let turns = 0; turns < 2; turns += 1) await turn()
        if (isQuiet()) return this.closeIdleConnections()
      }
      if (this.#answering.size === 0 && isCounted && !(await this.#isConnected())) return
      await sleep(lookEveryMs)
    }
  }

  async #isConnected(): Promise<boolean> {
    const counts = await Promise.all([this, ...this.#fronts].map(countConnections))
    return counts.reduce((sum, count) => sum + count) > this.#proxy.upgraded() + this.#passed.size
  }

  /** Answers the connections of this server as well; it stops listening with this one. */
  join(front: NetServer): void {
    this.#fronts.add(front)
    front.once('close', () => this.#fronts.delete(front))
  }

  /** Counts a connection that was handed over to another program. */
  pass(socket: Duplex): void {
    this.#passed.add(socket)
    socket.once('close', () => this.#passed.delete(socket))
  }

  override close(done?: (error?: Error) => void): this {
    this.#proxy.close()
    for (const socket of this.#passed) socket.destroy()
    return super.close(done)
  }
}

/**
 * The listening server of the platform: the Host header decides whether the console or an upstream answers. Without
 * one usable Host header, or with a target on another host, the answer is 400; under a foreign name it is 421.
 */
export function createListener(options: ListenerOptions): Listener {
  const { roleOf, isAnywhere, consoleUrl, console, proxy, challenge, socketFor, sockets } = options
  const pathOf = ({ url = '' }: IncomingMessage) => url.split('?', 1)[0]!
  const passed = (request: IncomingMessage) => socketFor?.(pathOf(request))
  const isOwn = (request: IncomingMessage) => sockets?.has(pathOf(request)) === true
  const dispatch = (request: IncomingMessage, response: ServerResponse) => {
    server.track(response)
    const host = hostOf(request)
    const target = host === undefined ? undefined : targetOf(request, host)
    if (host === undefined || target === undefined) return sendNotice(request, response, badRequest)
    const pass = () => route(request, response, host, target)
    if (!answersChallenge(challenge, { host, target }, { request, response }, pass)) pass()
  }
  const route = (request: IncomingMessage, response: ServerResponse, host: string, target: string) => {
    const role = roleOf(host)
    if (role === 'upstream') return proxy.request(request, response)
    if (role === 'foreign' && !isAnywhere(target)) return sendNotice(request, response, wrongHost(consoleUrl))
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
      const role = roleOf(host)
      return (
        role === 'upstream' ||
        request.url === probePath ||
        (role === 'console' && (passed(request) !== undefined || isOwn(request)))
      )
    },
  })
  server.on('request', dispatch)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const host = hostOf(request)
    // An upstream says itself whether it wants the body.
    if (host === undefined || roleOf(host) !== 'upstream') response.writeContinue()
    dispatch(request, response)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const host = hostOf(request)
    if (host === undefined || roleOf(host) !== 'upstream') {
      const to = request.url === probePath ? undefined : passed(request)
      if (!to && !isOwn(request)) return answerProbe(request, socket)
      server.pass(socket)
      if (!to) return sockets?.offer(request, socket, head)
      return passUpgrade(request, socket, head, to.socketPath)
    }
    return proxy.upgrade(request, socket, head)
  })
  return server
}
