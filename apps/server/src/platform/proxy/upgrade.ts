import { request as send, type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connectTo } from './connect.ts'
import { type Exchange, goesOn, relay } from './forward.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import { sendNotice } from './pages.ts'

/** Maximum time that one direction may stay open after the other has ended. */
const lingerMs = 30_000

/** Does this request open a WebSocket? Other upgrades are offers, and are declined by ignoring them. */
export function isWebSocket({ method, headers, httpVersionMinor }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    httpVersionMinor > 0 &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  )
}

/** A response on a socket that the server has let go of; the connection ends with it. */
export function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket)
  socket.on('drain', () => response.emit('drain'))
  response.on('error', () => socket.destroy())
  response.once('finish', () => {
    response.detachSocket(socket as Socket)
    socket.end()
    socket.once('finish', () => socket.destroy())
  })
  return response
}

/** Opens a WebSocket to an upstream; once it has agreed, bytes flow both ways untouched until either side ends. */
export function forwardUpgrade(exchange: Exchange, head: Buffer): void {
  const { request, endpoint, target, own, forwarded } = exchange
  const client = request.socket
  const extra = [...forwarded, 'Connection', 'Upgrade', 'Upgrade', 'websocket']
  const upstream = send({
    method: 'GET',
    path: target,
    headers: requestHeaders(request.rawHeaders, request.headers.connection, own, extra),
    createConnection: () => connectTo(endpoint, { allowHalfOpen: true }),
  })
  let answered = false
  const giveUp = () => upstream.destroy()
  client.once('close', giveUp)

  upstream.once('upgrade', (answer, other, otherHead) => {
    answered = true
    client.off('close', giveUp)
    const headers = responseHeaders(answer.rawHeaders, answer.headers.connection, own, [
      'Connection',
      'Upgrade',
      'Upgrade',
      'websocket',
    ])
    let text = 'HTTP/1.1 101 Switching Protocols\r\n'
    for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`
    client.write(`${text}\r\n`, 'latin1')
    if (otherHead.length > 0) client.write(otherHead)
    if (head.length > 0) other.write(head)
    join(client, other)
  })
  upstream.once('response', (answer) => {
    answered = true
    client.off('close', giveUp)
    relay(exchange, upstream, answer)
  })
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (answered) return
    client.off('close', giveUp)
    if (goesOn(exchange, error, (other) => forwardUpgrade(other, head))) return
    const { unreachable, broken } = exchange.notices
    sendNotice(request, exchange.response, error.syscall === 'connect' ? unreachable : broken)
  })
  upstream.end()
}

/** Lets bytes flow between two sockets; one side's end is passed on, one side's failure ends both. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setNoDelay(true)
    from.setKeepAlive(true, 60_000)
    from.once('error', () => to.destroy())
    from.once('close', () => to.destroySoon())
    from.once('end', () => {
      const timer = setTimeout(() => to.destroy(), lingerMs).unref()
      to.once('close', () => clearTimeout(timer))
    })
    from.pipe(to)
  }
}
