import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { packetBytes } from './connection.ts'

/** Connections that wait to be taken: all devices may come at once. */
const backlog = 4_096

type ListenAddress = { path: string } | { host: string; port: number }

/** Listens at a socket or an address. @throws Error when it is taken. */
export async function listenAt(server: Server, address: ListenAddress): Promise<void> {
  server.listen({ ...address, backlog })
  await once(server, 'listening')
}

/** MQTT over TCP. */
export const createTcp = (accept: (stream: Duplex) => void): Server =>
  createServer({ noDelay: true, keepAlive: true }, (socket) => accept(socket))

/** MQTT in WebSockets, with the subprotocol `mqtt`. */
export function createWebSockets(accept: (stream: Duplex) => void): Server {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: packetBytes,
    handleProtocols: (offered) => ['mqtt', 'mqttv3.1'].find((name) => offered.has(name)) ?? false,
  })
  const server = createHttpServer((_request, response) => void response.writeHead(426).end())
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (webSocket) => accept(createWebSocketStream(webSocket))),
  )
  return server
}
