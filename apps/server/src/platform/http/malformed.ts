import type { ConnectionError } from 'fastify'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

const longest = 8 * 1024

/**
 * Is it the cookies that are too long? Not so for a long address, which any page can have a browser ask for: it must
 * not lose its session by that. What came in several pieces cannot be told.
 */
function hasTooManyCookies(packet: unknown): boolean {
  const text = Buffer.isBuffer(packet) ? packet.toString('latin1') : ''
  const line = /^[A-Z]+ \S+ HTTP\/1\.[01]\r\n/.exec(text.slice(0, longest))
  const cookies = /\r\ncookie:([^\r]*)/i.exec(text)?.[1] ?? ''
  return line !== null && cookies.length > longest
}

/**
 * Answers what is no request of HTTP, in the envelope of errors, and ends the connection. Pages behind the proxy may set
 * cookies for the domain that they share with the console, until no request of the browser fits: then the answer has
 * the browser forget its cookies, or the person would be kept out for as long as these last.
 */
export function answerMalformed(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) return void socket.destroy()
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW'
  const status = tooLong ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const forget = tooLong && hasTooManyCookies(error.rawPacket)
  const message = forget
    ? 'Your browser sent too many cookies. They were removed: load this page again and sign in.'
    : tooLong
      ? 'The address, or a header of the request, is too long.'
      : status === 408
        ? 'The request took too long.'
        : 'The request is malformed.'
  const code = tooLong ? 'too_large' : 'invalid_request'
  const body = Buffer.from(JSON.stringify({ code, error: message, message, statusCode: status }))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${body.length}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    ...(forget ? ['clear-site-data: "cookies"'] : []),
    'connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.toString()}`)
  socket.destroySoon()
}
