import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StateStore } from '../targets/state.store.ts'

const bodyMax = 4 * 1024 * 1024
const digest = (text: string) => createHash('sha256').update(text).digest()

/** Answers Node-RED from disk what an instance asks the platform, so that it starts and runs without the platform. */
export type LocalPlatform = Awaited<ReturnType<typeof startLocalPlatform>>

/** On the port of the last time, where a Node-RED that outlived the agent looks for it. @throws Error */
export async function startLocalPlatform(store: StateStore) {
  const expected = digest(`Bearer ${store.get().token}`)
  const server = createServer((request, response) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected))
      return send(response, 401, { code: 'unauthorized', error: 'unauthorized' })
    answer(store, request, response).catch(() =>
      send(response, 500, { code: 'unexpected_error', error: 'The agent could not answer' }),
    )
  })
  const port = (await listenOn(store.get().port)) ?? (await listenOn(0))!
  if (port !== store.get().port) store.change({ port })

  function listenOn(wanted: number): Promise<number | undefined> {
    return new Promise((resolve) => {
      server.once('error', () => resolve(undefined))
      server.listen(wanted, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    })
  }

  return {
    url: `http://127.0.0.1:${port}`,
    token: store.get().token,
    close(): void {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(store: StateStore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://agent')
  const [, id = '', what = ''] =
    /^\/(?:api\/v1\/projects|storage)\/([a-z0-9-]+)\/(settings|flows|credentials|sessions)$/.exec(pathname) ?? []
  const isSettings = pathname.startsWith('/api/')
  if (request.method === 'POST' && pathname.startsWith('/logging/')) return send(response, 200, {})
  if (id === '') return send(response, 404, { code: 'not_found', error: 'Devices do not have this' })
  if (request.method === 'POST') {
    const body: unknown = JSON.parse(await textOf(request))
    if (what === 'settings') store.putRuntimeSettings(id, body)
    return send(response, 200, body)
  }
  const contents = store.contents(id)
  if (!contents) return send(response, 404, { code: 'not_found', error: 'This target is not on the device' })
  if (isSettings) return send(response, 200, settingsOf(contents))
  if (what === 'flows') return send(response, 200, contents.flows)
  if (what === 'credentials') return send(response, 200, contents.credentials)
  return send(response, 200, what === 'settings' ? store.runtimeSettings(id) : {})
}

const settingsOf = ({ env, settings, target }: NonNullable<ReturnType<StateStore['contents']>>) => ({
  projectID: target.project ?? '',
  env,
  baseURL: 'http://localhost',
  forgeURL: 'http://localhost',
  fileStore: null,
  teamID: '',
  storageURL: '',
  auditURL: '',
  state: 'running',
  stack: {},
  settings,
  // As with several processes, the editor is off: what it changed would be lost with the next target.
  ha: { replicas: 2 },
  features: {},
})

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) {
    text += part
    if (text.length > bodyMax) throw new Error('too long')
  }
  return text
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
