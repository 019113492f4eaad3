import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'

const unavailable = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n\r\n'

/** Headers that are of no use to the program behind, and no business of it. */
const held = new Set(['cookie', 'authorization'])

/** Hands the opening of a WebSocket to a program of the platform at a Unix socket, and all that follows. */
export function passUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  socketPath: string | undefined,
): void {
  socket.on('error', () => socket.destroy())
  if (socketPath === undefined) return void socket.end(unavailable)
  const to = connect(socketPath)
  let isConnected = false
  to.once('connect', () => {
    isConnected = true
    const { rawHeaders: raw } = request
    let text = `GET ${request.url} HTTP/1.1\r\n`
    for (let at = 0; at < raw.length; at += 2)
      if (!held.has(raw[at]!.toLowerCase())) text += `${raw[at]}: ${raw[at + 1]}\r\n`
    to.write(`${text}\r\n`, 'latin1')
    if (head.length > 0) to.write(head)
    socket.pipe(to)
    to.pipe(socket)
  })
  to.on('error', () => (isConnected ? socket.destroy() : socket.end(unavailable)))
  to.once('close', () => socket.destroy())
  socket.once('close', () => to.destroy())
}
