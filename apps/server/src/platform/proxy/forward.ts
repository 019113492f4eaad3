import { type Agent, type ClientRequest, type IncomingMessage, request as send, type ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import { connectTo, isOpening, whenOpen } from './connect.ts'
import type { CookieRules } from './cookies.ts'
import { requestHeaders, responseHeaders, trailers } from './headers.ts'
import { badRequest, type Notice, sendNotice } from './pages.ts'

/** Where an upstream answers; with a `proof` over TLS with that key alone. */
export type Endpoint = { socketPath: string } | { host: string; port: number; proof?: string }

/** Another endpoint; one that has yet to come is asked for when it is needed. */
export type Spare = Endpoint | (() => Promise<Endpoint | undefined>)

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  endpoint: Endpoint
  /** Asked when nobody takes the connection at the endpoint. */
  spare?: Spare
  /** Path and query. */
  target: string
  /** The platform's own headers, as name, value, name, value. */
  forwarded: readonly string[]
  own: CookieRules
  /** Headers that the answer gets, as name, value, name, value. */
  added: readonly string[] | undefined
  /** Its pools (`createAgent`) are one for each endpoint, bounded, and gone when the endpoint's last connection is. */
  agent: Agent
  /** Answers when the upstream takes no connection, and when it breaks off. */
  notices: { unreachable: Notice; broken: Notice }
}

/** Framing of the body of a request. */
export type Body = 'none' | 'length' | 'chunked'

/** Undefined for anything but a length or plain chunks: that could be read differently further on. */
export function bodyOf({ headers, httpVersionMinor }: IncomingMessage): Body | undefined {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (coding === undefined) return length === undefined ? 'none' : 'length'
  return coding.toLowerCase() === 'chunked' && length === undefined && httpVersionMinor > 0 ? 'chunked' : undefined
}

const bodyless = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE'])
const notThere = new Set(['ENOENT', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EACCES'])

/** Carries a request to an upstream and its answer back; both bodies flow through, at the pace of the slower side. */
export function forward(exchange: Exchange, body: Body): void {
  const { request, own, forwarded } = exchange
  // Data written to a client that has just gone is lost; its close event does the rest.
  exchange.response.on('error', () => {})
  const headers = requestHeaders(request.rawHeaders, request.headers.connection, own, forwarded)
  if (body === 'chunked') headers.push('Transfer-Encoding', 'chunked')
  else if (body === 'none' && !bodyless.has(request.method!)) headers.push('Content-Length', '0')
  attempt(exchange, headers, body !== 'none', true)
}

/** Goes on at the spare endpoint when nobody took the connection: nothing was sent then, nor anything of the body read. */
export function goesOn(
  exchange: Exchange,
  { syscall }: NodeJS.ErrnoException,
  go: (exchange: Exchange) => void,
): boolean {
  const { spare, ...rest } = exchange
  if (!spare || syscall !== 'connect') return false
  if (typeof spare !== 'function') go({ ...rest, endpoint: spare })
  else void whenThere(spare, rest, go)
  return true
}

async function whenThere(spare: () => Promise<Endpoint | undefined>, rest: Exchange, go: (exchange: Exchange) => void) {
  const endpoint = await spare()
  if (rest.response.destroyed || rest.request.socket.destroyed) return
  if (endpoint) go({ ...rest, endpoint })
  else sendNotice(rest.request, rest.response, rest.notices.unreachable)
}

function attempt(exchange: Exchange, headers: string[], hasBody: boolean, first: boolean): void {
  const { request, response, endpoint, target, agent } = exchange
  let upstream: ClientRequest
  try {
    const by = first ? { ...endpoint, agent } : { createConnection: () => connectTo(endpoint) }
    upstream = send({ ...by, method: request.method, path: target, headers })
  } catch {
    return sendNotice(request, response, badRequest)
  }
  let answered = false
  const giveUp = () => {
    if (!response.writableFinished) upstream.destroy()
  }
  response.once('close', giveUp)

  upstream.once('response', (answer) => {
    answered = true
    relay(exchange, upstream, answer)
  })
  upstream.once('continue', () => {
    if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue()
  })
  upstream.on('information', (info) => passInformation(info.statusCode, info.headers.link, exchange))
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    // After an answer its own events tell how it ended; a refused body may well end in an error here.
    if (answered || response.destroyed) return
    answered = true
    response.off('close', giveUp)
    if (goesOn(exchange, error, (other) => attempt(other, headers, hasBody, true))) return
    // The upstream closed an idle connection at the moment we took it: nobody has seen the request.
    const safe = !hasBody && (request.method === 'GET' || request.method === 'HEAD')
    if (safe && first && upstream.reusedSocket) return attempt(exchange, headers, false, false)
    if (hasBody) request.unpipe(upstream)
    sendNotice(
      request,
      response,
      notThere.has(error.code ?? '') ? exchange.notices.unreachable : exchange.notices.broken,
    )
  })

  if (!hasBody) return void upstream.end()
  const sendBody = () => {
    sendHead(upstream)
    request.once('end', () => {
      if (request.rawTrailers.length > 0)
        addTrailers(upstream, requestHeaders(request.rawTrailers, undefined, exchange.own, []))
    })
    request.pipe(upstream)
  }
  if (!exchange.spare) return sendBody()
  // A body can be read once, so it waits until somebody has taken the connection.
  upstream.once('socket', (socket) => (isOpening(socket) ? whenOpen(socket, sendBody) : sendBody()))
}

/** Sends what stands before the body. Headers are bytes; `flushHeaders` would write them as UTF-8 a second time. */
function sendHead(message: ClientRequest | ServerResponse): void {
  message.write('', 'latin1')
}

function addTrailers(message: ClientRequest | ServerResponse, filtered: string[]): void {
  message.addTrailers(trailers(filtered))
}

function passInformation(status: number, link: string | string[] | undefined, { request, response }: Exchange): void {
  if (request.httpVersionMinor === 0 || response.headersSent) return
  if (status === 102) response.writeProcessing()
  if (status === 103 && link !== undefined) response.writeEarlyHints({ link })
}

/** Ends a connection so that a client without length and chunks sees that something is missing. */
function breakOff({ request, response }: Exchange): void {
  const { socket } = request
  // TLS tells of its own end, so a connection without that is seen to be cut; and Node.js resets plain sockets alone.
  const isPlain = socket.remoteAddress !== undefined && !(socket instanceof TLSSocket)
  if (request.httpVersionMinor === 0 && isPlain) socket.resetAndDestroy()
  else response.destroy()
}

/** Ends an answer with its last piece. A small one goes out in one write with the head, which as text costs less. */
function endWith(response: ServerResponse, chunk: Buffer): void {
  if (chunk.length < 8192) response.end(chunk.toString('latin1'), 'latin1')
  else response.end(chunk)
}

/** Passes the answer of an upstream on. */
export function relay(exchange: Exchange, upstream: ClientRequest, answer: IncomingMessage): void {
  const { request, response, own, added } = exchange
  const length = answer.headers['content-length']
  // With the length known the last piece ends the answer, which saves a write of its own.
  let left = length === undefined || request.method === 'HEAD' ? Number.POSITIVE_INFINITY : Number(length)
  try {
    const headers = responseHeaders(answer.rawHeaders, answer.headers.connection, own, added)
    response.writeHead(answer.statusCode!, answer.statusMessage ?? '', headers)
  } catch {
    upstream.destroy()
    return sendNotice(request, response, exchange.notices.broken)
  }
  if (length === undefined) sendHead(response)
  answer.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left === 0) endWith(response, chunk)
    else if (!response.write(chunk)) {
      answer.pause()
      response.once('drain', () => answer.resume())
    }
  })
  answer.once('end', () => {
    if (!response.writableEnded) {
      if (answer.rawTrailers.length > 0) addTrailers(response, responseHeaders(answer.rawTrailers, undefined, own))
      response.end()
    }
    // Answered before the whole body was read: the rest has nowhere to go.
    if (!upstream.writableFinished) {
      request.unpipe(upstream)
      upstream.destroy()
    }
  })
  answer.once('error', () => {
    if (!response.writableEnded) breakOff(exchange)
  })
}
