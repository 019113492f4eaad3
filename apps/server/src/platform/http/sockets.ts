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

/** The WebSocket that a request opens. @throws Failure upgrade_required for a request that opens none. */
export async function acceptSocket({ raw }: FastifyRequest, reply: FastifyReply): Promise<WebSocket> {
  const opening = openings.get(raw)
  if (!opening) throw fail('upgrade_required')
  openings.delete(raw)
  reply.hijack()
  opening.letGo()
  return new Promise((resolve) => server.handleUpgrade(raw, raw.socket, opening.head, resolve))
}
