import { type Route, routes } from '@app/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { responseOn } from '../proxy/index.ts'
import { fail } from './failure.ts'

/** Clients of these WebSockets only listen. */
const fromClientMax = 1_024

const openings = new WeakMap<IncomingMessage, { head: Buffer; letGo(): void }>()
const server = new WebSocketServer({ noServer: true, maxPayload: fromClientMax })
const servers = new Map<number, WebSocketServer>()

/** For programs that send much: they may compress it. */
function serverFor(maxPayload: number): WebSocketServer {
  const known = servers.get(maxPayload)
  if (known) return known
  const made = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: { threshold: 1_024 } })
  servers.set(maxPayload, made)
  return made
}

const paths = (Object.values(routes) as Route[])
  .filter(({ socket }) => socket)
  .map(({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`))

/** The WebSockets that routes of the contract answer. */
export const socketsOf = (app: RequestListener) => ({
  has: (path: string): boolean => paths.some((pattern) => pattern.test(path)),
  /** Has the route judge who opens one, as it judges any request; a refusal is its HTTP answer. */
  offer(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const response = responseOn(request, socket)
    openings.set(request, { head, letGo: () => response.detachSocket(request.socket) })
    app(request, response)
  },
})

/**
 * The WebSocket that a request opens; `bytesMax`: the longest message it may send, a few unless told.
 * @throws Failure upgrade_required for a request that opens none.
 */
export async function acceptSocket(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  bytesMax?: number,
): Promise<WebSocket> {
  const opening = openings.get(raw)
  if (!opening) throw fail('upgrade_required')
  openings.delete(raw)
  reply.hijack()
  opening.letGo()
  const taker = bytesMax === undefined ? server : serverFor(bytesMax)
  return new Promise((resolve) => taker.handleUpgrade(raw, raw.socket, opening.head, resolve))
}
