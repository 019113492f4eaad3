import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Where the platform lets itself be asked whether WebSockets come through. */
export const probePath = '/livez'
const fixed = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Opens a WebSocket and closes it at once: that it could be opened is the answer. */
export function answerProbe(request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  const key = request.headers['sec-websocket-key']
  if (typeof key !== 'string' || key.length > 64) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  const accept = createHash('sha1')
    .update(key + fixed)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  // Read to its end, or it would never close; and not for ever.
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), 5_000).unref()
  socket.once('close', () => clearTimeout(timer))
  // A frame that says "closed normally".
  socket.end(Buffer.from([0x88, 0x02, 0x03, 0xe8]))
}
