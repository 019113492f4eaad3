import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type FlowAccess, protect } from './plugins/flow-access.ts'
import { plainRefusal, refuseTooLarge } from './refused.ts'
import type { Express, ExpressApp, Middleware } from './stack.ts'
import { adminRootOf, type PlatformSettings } from './settings.ts'

/** An HTTP server whose application is put in later: Node-RED wants the server before it has its own. */
export function createHttp(express: Express): { server: Server; app: ExpressApp } {
  const app = express()
  app.disable('x-powered-by')
  return { server: createServer(app), app }
}

/** Puts the editor, if there is one, and the addresses of flows in their places. What its owner wants protected is never served without. */
export function mount(
  { app, server }: { app: ExpressApp; server: Server },
  settings: PlatformSettings,
  parts: { editor: Middleware | undefined; flows: Middleware; access: FlowAccess | undefined; isStill: () => boolean },
): void {
  const { editor, flows, access, isStill } = parts
  const root = adminRootOf(settings)
  if (editor) app.use(root, plainRefusal, editor, refuseTooLarge)
  if (access) {
    const comms = `${root}comms`
    const isEditorSocket = ({ url = '' }: IncomingMessage) => editor !== undefined && url.split('?', 1)[0] === comms
    app.use('/', protect({ server, access, app, isEditorSocket }))
  }
  const open: Middleware = (_request, response, next) => (isStill() ? sayNotYet(response as ServerResponse) : next())
  app.use('/', open)
  app.use('/', flows)
  // After the flows, since they may have a page of their own there.
  if (!editor) app.use(root, sayEditorOff)
}

/** While one version of the flows takes over from another, neither may answer. */
function sayNotYet(response: ServerResponse): void {
  const head = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'retry-after': '1' }
  response.writeHead(503, head).end('A new version is taking over.\n')
}

/** Tells who looks for the editor of an instance of several processes why there is none. */
const sayEditorOff: Middleware = (given, answer, next) => {
  const { url, method } = given as IncomingMessage
  const isPage = (method === 'GET' || method === 'HEAD') && new URL(url ?? '/', 'http://instance').pathname === '/'
  if (!isPage) return next()
  const head = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  ;(answer as ServerResponse)
    .writeHead(403, head)
    .end('The editor is off: this instance runs in High Availability mode, as several processes with the same flows.\n')
}
