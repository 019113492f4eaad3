import { chmodSync } from 'node:fs'
import { createServer, request, type Server, type ServerResponse } from 'node:http'
import type { Express, ExpressApp, Middleware } from './stack.ts'
import { adminRootOf, type PlatformSettings } from './settings.ts'

const probeMs = 2_000

/** An HTTP server whose application is put in later: Node-RED wants the server before it has its own. */
export function createHttp(express: Express): { server: Server; app: ExpressApp } {
  const app = express()
  app.disable('x-powered-by')
  return { server: createServer(app), app }
}

/** Puts the editor and the addresses of flows in their places. */
export function mount(app: ExpressApp, settings: PlatformSettings, editor: Middleware, flows: Middleware): void {
  app.use(adminRootOf(settings), editor)
  const { type = 'none' } = settings.httpNodeAuth ?? {}
  // An address that its owner wants protected is never served without protection.
  if (type === 'none') app.use('/', flows)
  else app.use('/', refuse)
}

const refuse: Middleware = (_request, response) => {
  const answer = response as ServerResponse
  answer
    .writeHead(503, { 'content-type': 'text/plain' })
    .end('This instance asks for a sign-in that is not available.\n')
}

/** Listens on a unix socket that only this user may open. Its folder must be closed to others, as it is made before its rights are. */
export function listen(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, () => {
      server.off('error', reject)
      chmodSync(socketPath, 0o600)
      resolve()
    })
  })
}

/** Is there any answer at all? */
export function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ socketPath, method: 'HEAD', path: '/', timeout: probeMs }, (response) => {
      response.resume()
      resolve(true)
    })
    probe.on('timeout', () => probe.destroy())
    probe.on('error', () => resolve(false))
    probe.end()
  })
}
