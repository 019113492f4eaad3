import { connectProven, isProven, type ProvenAddress } from '@app/drivers/proven'
import { Agent, type ClientRequestArgs } from 'node:http'
import { connect, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Endpoint } from './forward.ts'

/** Opens a connection to an upstream: of a socket, of a port, or of one where both sides have a key. */
export function connectTo(endpoint: Endpoint, options: { allowHalfOpen?: boolean } = {}): Socket {
  if (isProven(endpoint)) return connectProven(endpoint, 'http', options)
  return connect({ ...('socketPath' in endpoint ? { path: endpoint.socketPath } : endpoint), ...options })
}

/**
 * A connection that nobody uses for so long is given up. Node.js closes one after six seconds, also when a request is in it that a
 * busy upstream has not read yet: that request would be lost.
 */
const idleMs = 2_000

/** Keeps connections to upstreams open between requests. */
export function createAgent(): Agent {
  return new UpstreamAgent({ keepAlive: true, timeout: idleMs, maxSockets: 256, maxFreeSockets: 32 })
}

/** Every request names its endpoint among its options. */
class UpstreamAgent extends Agent {
  override createConnection(...[options, ...rest]: Parameters<Agent['createConnection']>) {
    const endpoint = options as unknown as Endpoint
    return isProven(endpoint) ? connectProven(endpoint, 'http') : super.createConnection(options, ...rest)
  }

  /** An upstream with another key is another one, even at the same address. */
  override getName(options?: ClientRequestArgs): string {
    return `${super.getName(options)}:${(options as Partial<ProvenAddress> | undefined)?.proof ?? ''}`
  }
}

/** Has nobody taken this connection yet, with the key if there is one? */
export const isOpening = (socket: Socket): boolean =>
  socket.connecting ||
  (socket instanceof TLSSocket && (socket as unknown as { secureConnecting: boolean }).secureConnecting)

export const whenOpen = (socket: Socket, call: () => void) =>
  void socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', call)
