import type { LaunchSpec } from '@app/contract/instance-link'
import { type LinkChannel, linkTls } from '@app/contract/instance-link.constants'
import { chmodSync, rmSync } from 'node:fs'
import { request, type RequestOptions, type Server } from 'node:http'
import type { Server as NetServer } from 'node:net'
import { connect, createServer } from 'node:tls'
import type { Target } from './takeover/hold.sockets.ts'

const probeMs = 2_000
/** Maximum time that a stranger may hold a connection. */
const handshakeMs = 5_000
const here = '127.0.0.1'

/** Where this process answers the platform. The only place that knows whether these are sockets or a port. */
export interface Listening {
  /** Lets a server answer on its channel. @throws Error when it cannot. */
  open(channel: LinkChannel, server: Server): Promise<void>
  /** Does HTTP answer at all? */
  answers(): Promise<boolean>
  /** Is this connection or listener of the platform, and not of flows? */
  isOwn(target: Target): boolean
  /** The port that is not one of the flows. */
  readonly port: number | undefined
  /** Removes what would stay. */
  close(): void
}

/** Decides by the specification; nothing is opened yet. */
export const createListening = ({ answersAt }: Pick<LaunchSpec, 'answersAt'>): Listening =>
  'port' in answersAt ? onPort(answersAt) : onSockets(answersAt)

function onSockets(paths: { http: string; control: string }): Listening {
  const close = () => Object.values(paths).forEach((path) => rmSync(path, { force: true, recursive: true }))
  close()
  return {
    async open(channel, server) {
      await listen(server, paths[channel])
      // The folder is closed to others: the socket is made before its rights are.
      chmodSync(paths[channel], 0o600)
    },
    answers: () => hasAnswer({ socketPath: paths.http, agent: false }),
    isOwn: ({ path }) => path === paths.http || path === paths.control,
    port: undefined,
    close,
  }
}

/**
 * One port for both channels. Neighbours reach it, as whoever is in the same network does, so a connection belongs to
 * the channel whose key it was opened with, and no server hears of others.
 */
function onPort({ port, host, keys }: Extract<LaunchSpec['answersAt'], { port: number }>): Listening {
  const own = host ?? here
  const keyOf = (channel: LinkChannel) => Buffer.from(keys[channel], 'base64url')
  const servers = new Map<LinkChannel, Server>()
  const channels = new WeakMap<object, LinkChannel>()
  const front = createServer({
    ...linkTls,
    // As servers of HTTP have it.
    allowHalfOpen: true,
    handshakeTimeout: handshakeMs,
    pskCallback(socket, identity) {
      const channel = identity as LinkChannel
      if (!servers.has(channel)) return null
      channels.set(socket, channel)
      return keyOf(channel)
    },
  })
  front.on('secureConnection', (socket) => {
    // Node-RED would take it for the browser's: whether that one is encrypted, the platform says in its headers.
    Reflect.set(socket, 'encrypted', false)
    servers.get(channels.get(socket)!)?.emit('connection', socket)
  })
  // A stranger, or the platform with the key of another process.
  front.on('tlsClientError', () => {})
  return {
    async open(channel, server) {
      servers.set(channel, server)
      if (!front.listening) await listen(front, { port, ...(host === undefined ? {} : { host }) })
    },
    answers: () =>
      hasAnswer({
        createConnection: () =>
          connect({
            ...linkTls,
            host: own,
            port,
            pskCallback: () => ({ psk: keyOf('http'), identity: 'http' satisfies LinkChannel }),
            // There is no certificate whose name could be checked.
            checkServerIdentity: () => undefined,
          }),
      }),
    isOwn: (target) => target.path === undefined && target.port === port && [undefined, own].includes(target.host),
    port,
    close: () => void front.close(),
  }
}

function listen(server: NetServer, at: string | { port: number; host?: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function hasAnswer(options: RequestOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ ...options, method: 'HEAD', path: '/', timeout: probeMs }, (response) => {
      response.resume()
      resolve(true)
    })
    probe.on('timeout', () => probe.destroy())
    probe.on('error', () => resolve(false))
    probe.end()
  })
}
