import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createListener, createProxy, createTrust, type Destination, type Notice, type ProxyOptions } from '../index.ts'

/** A request as the upstream received it. */
export interface Seen {
  method: string
  url: string
  rawHeaders: string[]
  trailers: string[]
  body: string
}

export const host = 'oven.localhost:3000'

const notice = (status: number, more: object = {}): Notice => ({
  status,
  code: 'refused',
  title: 'Refused',
  text: 'By the test.',
  ...more,
})
/** Nothing is known under this name. */
export const unknown: Destination = { kind: 'refused', notice: notice(404) }

/** The values of a header in a flat list, whatever its case. */
export function valuesOf(rawHeaders: string[], name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name.toLowerCase())
}

async function listen(server: Server, where: string | number): Promise<void> {
  await new Promise<void>((resolve) =>
    typeof where === 'string' ? server.listen(where, resolve) : server.listen(where, '127.0.0.1', resolve),
  )
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/**
 * A platform server on a loopback port with the upstream `oven` behind it, whose requests are recorded. `answer` is
 * what the upstream does with a request once its body is there; `early` is asked first and may take it whole.
 */
export async function openStage(options: Partial<ProxyOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'))
  const socketPath = join(folder, 'http.sock')
  const seen: Seen[] = []
  const stage = {
    answer: ((_request, response) => response.end('ok')) as RequestListener,
    early: undefined as RequestListener | undefined,
    destination: { kind: 'ready', endpoint: { socketPath } } as Destination,
  }
  const upstream = createServer((request, response) => {
    if (stage.early) return stage.early(request, response)
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      seen.push(record(request, Buffer.concat(pieces)))
      stage.answer(request, response)
    })
  })
  upstream.on('checkContinue', (request: IncomingMessage, response) => upstream.emit('request', request, response))
  await listen(upstream, socketPath)

  const proxy = createProxy({
    resolve: (name) => (name === host ? stage.destination : unknown),
    notices: { unreachable: notice(503, { retryAfter: 2, reload: true }), broken: notice(502) },
    platformCookies: ['sid', '__Host-sid'],
    secure: false,
    trust: createTrust({ proxies: [] }),
    ...options,
  })
  const server = createListener({
    roleOf: (name) =>
      name === 'localhost:3000' ? 'console' : name.endsWith('.localhost:3000') ? 'upstream' : 'foreign',
    isAnywhere: (target) => target === '/readyz',
    consoleUrl: 'http://localhost:3000',
    console: (request, response) => response.end(`console ${request.url}`),
    proxy,
  })
  await listen(server, 0)
  const { port } = server.address() as AddressInfo

  return Object.assign(stage, {
    port,
    seen,
    upstream,
    socketPath,
    server,
    /** Sends bytes and returns all that comes back until the other side closes. */
    raw: (text: string | Buffer) => sendRaw(port, text),
    /** Sends one request with these header lines beside Host and Connection. */
    ask: (lines: string[], head = 'GET / HTTP/1.1', body = '') =>
      sendRaw(port, [head, `Host: ${host}`, 'Connection: close', ...lines, '', body].join('\r\n')),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      upstream.closeAllConnections()
      await new Promise((resolve) => upstream.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  })
}

function sendRaw(port: number, text: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (piece) => {
      received += piece
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    // A desync shows as a connection that waits for more; it must not hold up the test.
    socket.setTimeout(3000, () => socket.destroy())
    if (typeof text === 'string') socket.write(text, 'latin1')
    else socket.write(text)
  })
}

/** Waits until a condition holds. @throws after 20 seconds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function record(request: IncomingMessage, body: Buffer): Seen {
  const { method, url, rawHeaders, rawTrailers } = request
  return { method: method!, url: url!, rawHeaders, trailers: rawTrailers, body: body.toString('latin1') }
}
