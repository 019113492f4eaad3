import { type LinkChannel, linkTls } from '@app/contract/instance-link.constants'
import { createHmac } from 'node:crypto'
import type { RequestOptions } from 'node:http'
import { connect, type TLSSocket } from 'node:tls'
import type { Endpoint } from './driver.ts'

/** Where a process answers on a TCP port, and the key by which both sides know each other there. */
export interface ProvenAddress {
  host: string
  port: number
  /** The key of one channel (`proofOf`). */
  proof: string
}

/** The key of one channel of one process. It tells nothing of the token, nor of the key of the other channel. */
export const proofOf = (controlToken: string, channel: LinkChannel): string =>
  createHmac('sha256', controlToken).update(channel).digest('base64url')

export const isProven = (endpoint: Endpoint): endpoint is ProvenAddress =>
  'proof' in endpoint && endpoint.proof !== undefined

/**
 * Connects to a process. One that does not have the key is like a port where nobody listens: nothing was sent, and the
 * error says that the connection was refused.
 */
export function connectProven(
  { host, port, proof }: ProvenAddress,
  channel: LinkChannel,
  options: { allowHalfOpen?: boolean } = {},
): TLSSocket {
  const psk = Buffer.from(proof, 'base64url')
  const socket = connect({
    ...linkTls,
    ...options,
    host,
    port,
    pskCallback: () => ({ psk, identity: channel }),
    // There is no certificate whose name could be checked.
    checkServerIdentity: () => undefined,
  })
  const refused = (error: NodeJS.ErrnoException) =>
    void Object.assign(error, { syscall: 'connect', code: error.syscall === 'connect' ? error.code : 'ECONNREFUSED' })
  socket.once('error', refused)
  socket.once('secureConnect', () => socket.off('error', refused))
  return socket
}

/** The options for one request to an instance, over a connection of its own. */
export const reach = (endpoint: Endpoint): RequestOptions =>
  isProven(endpoint) ? { createConnection: () => connectProven(endpoint, 'http') } : { ...endpoint, agent: false }
