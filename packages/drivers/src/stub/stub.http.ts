import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The answer of a stub instance: the request as it arrived, so that a test can see what a proxy made of it. */
const echo =
  (id: string): RequestListener =>
  (request, response) => {
    const { method, url, headers } = request
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ id, method, url, headers, body })),
    )
  }

/** The HTTP server of one instance; `answer` and `upgrade` can be replaced. */
export interface StubHttp {
  server: Server
  port: number
  answer: RequestListener
  upgrade: UpgradeListener
}

export async function openStubHttp(id: string): Promise<StubHttp> {
  const server = createServer((request, response) => http.answer(request, response))
  server.on('upgrade', (request, socket, head) => http.upgrade(request, socket, head))
  const http: StubHttp = { server, port: 0, answer: echo(id), upgrade: (_request, socket) => socket.destroy() }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  http.port = (server.address() as AddressInfo).port
  return http
}

export function closeStubHttp({ server }: StubHttp): void {
  server.close()
  server.closeAllConnections()
}
