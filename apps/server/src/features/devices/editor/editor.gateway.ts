import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Switches } from '@app/contract'
import type { Logger } from 'pino'
import type { UserActor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Bus } from '../../../platform/events/bus.ts'
import { isOwnOrigin } from '../../../platform/http/origin.ts'
import { type Destination, hostOf, type Notice, responseOn, sendNotice } from '../../../platform/proxy/index.ts'
import type { ApplicationMembers } from '../../application-members/index.ts'
import { createEditorDoor } from './editor.door.ts'
import { type EditorHosts, editorPaths } from './editor.hosts.ts'
import { pass } from './editor.pass.ts'
import type { EditorProofs } from './editor.proofs.ts'
import { answerScript, answerState } from './editor.state.ts'
import { findEditor } from './editor.store.ts'
import type { EditorTunnels } from './editor.tunnels.ts'
import { createEditorSockets } from './editor.sockets.ts'

export interface GatewayDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  home: string
  features: Pick<Switches, 'deviceEditor'>
  editorHosts: EditorHosts
  editorTunnels: EditorTunnels
  editorProofs: EditorProofs
  /** Which of these are still signed in? */
  stillSignedIn(actors: UserActor[]): Promise<Set<UserActor>>
  applicationMembers: Pick<ApplicationMembers, 'rolesOnDevices'>
}

const away: Notice = {
  status: 503,
  code: 'device_unreachable',
  title: 'The device is not connected',
  text: 'This page looks again by itself.',
  retryAfter: 2,
  reload: true,
}
const off: Notice = {
  status: 503,
  code: 'device_unreachable',
  title: 'Editor access is off',
  text: 'Someone of its team can enable it on the page of the device.',
}
const elsewhere: Notice = {
  status: 503,
  code: 'instances_unavailable',
  title: 'Not on this server',
  text: 'Editors of devices are served by the server that runs the instances.',
  retryAfter: 2,
  reload: true,
}
const foreign: Notice = {
  status: 403,
  code: 'cross_origin',
  title: 'Refused',
  text: 'Requests are accepted only from the editor itself.',
}

export type EditorGateway = ReturnType<typeof createEditorGateway>

/** Serves the host names of the editors of devices, behind the proxy, at a Unix socket. */
export function createEditorGateway(deps: GatewayDependencies) {
  const { database, editorHosts, editorTunnels, editorProofs, log } = deps
  const folder = join(tmpdir(), `forge-editor-${createHash('sha256').update(deps.home).digest('hex').slice(0, 16)}`)
  const socketPath = join(folder, 'http.sock')
  const here: Destination = { kind: 'ready', endpoint: { socketPath } }
  let isHost = false
  const door = createEditorDoor(deps)
  const sockets = createEditorSockets({ bus: deps.bus, door, editorTunnels })

  /** Is this from a page of the editor itself, or a link that a person followed? Instances are at sibling names. */
  function isOwn({ headers, method }: IncomingMessage, origin: string): boolean {
    const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
    return isOwnOrigin(headers, origin) || (headers.origin === undefined && method === 'GET' && isLink)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = editorHosts.deviceOf(hostOf(request))
    const url = new URL(request.url ?? '/', 'http://editor')
    if (id === undefined) return sendNotice(request, response, off)
    if (!isOwn(request, editorHosts.originOf(id))) return sendNotice(request, response, foreign)
    if (url.pathname === editorPaths.enter) return door.enter(id, url.searchParams.get('code') ?? '', response)
    const session = await door.admits(id, request)
    if (!session) return door.refuse(id, request, response)
    if (url.pathname === editorPaths.script) return answerScript(editorHosts.doorOf(id), response)
    if (url.pathname === editorPaths.state) return answerState(editorTunnels, id, request, response)
    const tunnel = editorTunnels.of(id)
    // The proxy before this server says it, and nobody else.
    const address = String(request.headers['x-forwarded-for'] ?? '')
    if (tunnel) return pass(tunnel, editorProofs.give(id, { user: session.user_id, address }), request, response)
    const row = await findEditor(database.read, id)
    sendNotice(request, response, row?.editor_token_hash ? away : off)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.warn({ err: error }, 'a request for the editor of a device failed')
      sendNotice(request, response, away)
    })
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const id = editorHosts.deviceOf(hostOf(request))
    const refuse = (notice: Notice) => sendNotice(request, responseOn(request, socket), notice)
    if (id === undefined || request.headers.origin !== editorHosts.originOf(id)) return refuse(foreign)
    door
      .admits(id, request)
      .then((person) => {
        if (!person) return refuse(foreign)
        sockets.open(id, person, request, socket, head)
      })
      .catch(() => refuse(away))
  })

  return {
    /** Where the proxy sends the requests to a host name; undefined where it belongs to no device. */
    destinationOf(host: string): Destination | undefined {
      if (!deps.features.deviceEditor || editorHosts.deviceOf(host) === undefined) return undefined
      return isHost ? here : { kind: 'refused', notice: elsewhere }
    },
    /** Whether the host name belongs to a device that there is. */
    async hasEditor(host: string): Promise<boolean> {
      const id = deps.features.deviceEditor ? editorHosts.deviceOf(host) : undefined
      return id !== undefined && (await findEditor(database.read, id)) !== undefined
    },
    async start(isHere: boolean): Promise<void> {
      isHost = isHere
      if (!isHost) return
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (statSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} belongs to somebody else`)
      rmSync(socketPath, { force: true })
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketPath, resolve))
      sockets.start()
    },
    stop(): void {
      isHost = false
      sockets.stop()
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
