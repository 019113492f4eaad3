import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Config } from './config.ts'
import type { Told } from './features/backup/index.ts'
import type { InheritedSocket } from './platform/http/inherited.ts'
import { sendNotice } from './platform/proxy/index.ts'
import type { Certificates } from './platform/tls/certificate.ts'
import { openFront } from './platform/tls/front.ts'

const againSeconds = 2

function sentenceOf({ text, done, total }: Told): string {
  return done === undefined || !total ? `${text} …` : `${text}: ${Math.floor((100 * done) / total)} %`
}

/** Answers in the place of the platform while a backup takes its place: 503, and how far it is. */
export async function serveRestoring(
  {
    host,
    port,
    tls,
    baseUrl,
    instanceDomain: upstreamDomain,
  }: Pick<Config, 'host' | 'port' | 'tls' | 'baseUrl' | 'instanceDomain'>,
  socket?: InheritedSocket,
  certificates?: Certificates,
) {
  let last: Told = { text: 'Checking the whole file' }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    response.shouldKeepAlive = false
    const [path] = (request.url ?? '').split('?')
    if (path === '/livez' || path === '/readyz' || path === '/readyz/instances') {
      const isAlive = path === '/livez'
      const body = isAlive ? { status: 'ok' } : { status: 'unavailable', reason: 'restoring' }
      response.writeHead(isAlive ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      return void response.end(JSON.stringify(body))
    }
    sendNotice(request, response, {
      status: 503,
      code: 'restoring',
      title: 'A backup is being restored',
      text: sentenceOf(last),
      retryAfter: againSeconds,
      reload: true,
    })
  }

  const server = createServer(answer)
  if (socket) await socket.serve(server)
  else {
    server.listen({ host, port })
    await once(server, 'listening')
  }
  const front = tls && certificates && (await openFront({ tls, certificates, baseUrl, upstreamDomain, server }))
  return {
    tell: (told: Told) => void (last = told),
    async close(): Promise<void> {
      socket?.pause()
      front?.close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
