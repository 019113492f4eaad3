import { limits } from '@app/contract/constants'
import type { ProjectLink } from '@app/contract/runtime'
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { editorRoot } from '../editor/tunnel.channel.ts'
import type { TargetContents } from '../targets/target.ts'
import * as z from 'zod/mini'
import type { WishStore } from '../control/wishes.store.ts'
import type { AuditQueue } from '../logs/audit.queue.ts'
import type { StateStore } from '../targets/state.store.ts'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Answers Node-RED from disk what an instance asks the platform, so that it starts and runs without the platform. */
export type LocalPlatform = Awaited<ReturnType<typeof startLocalPlatform>>

export interface LocalPlatformOptions {
  store: StateStore
  wishes: WishStore
  forgeURL: string
  deviceId: string
  /** Broker and team for the nodes for messages; undefined without a broker. */
  link?: ProjectLink | undefined
  /** The instances of the team. @throws Error when the platform does not say. */
  instances(team: string): Promise<object>
  /** Takes the events of Node-RED for the audit log. */
  audit: AuditQueue
}

/** On the port of the last time, where a Node-RED that outlived the agent looks for it. @throws Error */
export async function startLocalPlatform(options: LocalPlatformOptions) {
  const { store } = options
  const expected = digest(`Bearer ${store.get().token}`)
  const server = createServer((request, response) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected))
      return send(response, 401, { code: 'unauthorized', error: 'unauthorized' })
    answer(options, request, response).catch(() =>
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

async function answer(
  options: LocalPlatformOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { store, wishes, link, instances, audit } = options
  const { pathname } = new URL(request.url ?? '/', 'http://agent')
  if (link && pathname === `/api/v1/teams/${link.team}/projects`) return send(response, 200, await instances(link.team))
  const [, id = '', what = ''] =
    /^\/(?:api\/v1\/projects|storage)\/([a-z0-9-]+)\/(settings|flows|credentials|sessions|deploy|editors)$/.exec(
      pathname,
    ) ?? []
  const isSettings = pathname.startsWith('/api/')
  if (request.method === 'POST' && pathname.startsWith('/logging/')) {
    const isEvent = audit.add(JSON.parse(await textOf(request)))
    audit.send()
    return send(response, isEvent ? 200 : 400, isEvent ? {} : { code: 'invalid_request', error: 'Not an event' })
  }
  if (id === '') return send(response, 404, { code: 'not_found', error: 'Devices do not have this' })
  if (request.method === 'POST') {
    const body: unknown = JSON.parse(await textOf(request))
    if (what === 'settings') store.putRuntimeSettings(id, body)
    if (what !== 'deploy') return send(response, 200, body)
    const deployed = Deployed.safeParse(body).data
    if (!deployed || wishes.get().mode !== 'developer')
      return send(response, 403, { code: 'access_denied', error: 'The device is not in developer mode' })
    const { flows, credentials, refused } = deployed
    // The editor may be that of this machine, which no platform opened.
    if (!refused && wishes.get().isEdited !== true) wishes.change({ isEdited: true })
    if (!refused) store.putWork(id, { flows, ...(credentials && { credentials }) })
    return send(response, 200, { revision: createHash('sha256').update(JSON.stringify(flows)).digest('hex') })
  }
  const contents = store.contents(id)
  if (!contents) return send(response, 404, { code: 'not_found', error: 'This target is not on the device' })
  if (isSettings) return send(response, 200, settingsOf(contents, options))
  if (what === 'flows') return send(response, 200, contents.flows)
  if (what === 'credentials') return send(response, 200, contents.credentials)
  return send(response, 200, what === 'settings' ? store.runtimeSettings(id) : {})
}

const Deployed = z.looseObject({
  flows: z.array(z.looseObject({})),
  credentials: z.optional(z.looseObject({})),
  refused: z.optional(z.boolean()),
})

const settingsOf = (
  { env, settings, target, messages, editor }: TargetContents,
  { wishes, forgeURL, deviceId, link }: LocalPlatformOptions,
) => ({
  projectID: target.project ?? '',
  env,
  baseURL: 'http://localhost',
  forgeURL,
  fileStore: null,
  teamID: '',
  storageURL: '',
  auditURL: '',
  state: 'running',
  stack: {},
  ...(wishes.get().mode === 'developer'
    ? {
        device: true,
        ...(editor && { editorUser: editor }),
        settings: { ...settings, ...editorSettings(settings, `${forgeURL}/device/${deviceId}/overview`) },
      }
    : // As with several processes, the editor is off: what it changed would be lost with the next target.
      { settings, ha: { replicas: 2 } }),
  features: {},
  ...(link && messages === true && { projectLink: link }),
})

/** People come by the tunnel, and back to the page of the device. */
const editorSettings = ({ header }: TargetContents['settings'], url: string) => ({
  httpAdminRoot: editorRoot,
  disableEditor: false,
  header: { ...(header as object | undefined), url },
})

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) {
    text += part
    if (text.length > limits.flowsBytes) throw new Error('too long')
  }
  return text
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
