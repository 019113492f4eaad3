import type { LaunchSpec } from '@app/contract/instance-link'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { PlatformSettings } from '../settings.ts'
import type { Middleware } from '../stack.ts'
import { createBasicAccess, type ComparePassword } from './flow-access.basic.ts'
import { createPlatformAccess } from './flow-access.platform.ts'

/** Decides who reaches the addresses of flows. */
export interface FlowAccess {
  /** May this request pass? */
  allows(request: IncomingMessage): Promise<boolean>
  /** Answers one that may not. */
  refuse(request: IncomingMessage, response: ServerResponse): void
  /** Addresses of the sign-in itself; true when it has answered. */
  handle?(request: IncomingMessage, response: ServerResponse): boolean
}

export interface FlowAccessOptions {
  launch: LaunchSpec
  settings: PlatformSettings
  /** The address of the platform as people reach it. */
  forgeUrl: string
  compare: ComparePassword
}

/** The protection that the settings ask for; undefined for none. */
export function flowAccess({ launch, settings, forgeUrl, compare }: FlowAccessOptions): FlowAccess | undefined {
  const {
    type = 'none',
    user = '',
    pass,
  } = (settings.httpNodeAuth ?? {}) as { type?: string; user?: string; pass?: unknown }
  if (type === 'none') return undefined
  if (type === 'flowforge-user') return createPlatformAccess({ launch, forgeUrl })
  // Without a name or a password nobody knows them: the addresses stay closed rather than open.
  return createBasicAccess({ user, hash: typeof pass === 'string' ? pass : '', compare })
}

/** Verdict on a request. It is asked for once, however many ask. */
type Judge = (request: IncomingMessage) => Promise<boolean>

function judgeBy(access: FlowAccess): Judge {
  const verdicts = new WeakMap<IncomingMessage, Promise<boolean>>()
  return (request) => {
    const known = verdicts.get(request)
    if (known) return known
    const verdict = access.allows(request)
    verdicts.set(request, verdict)
    return verdict
  }
}

export interface ProtectOptions {
  server: Server
  access: FlowAccess
  /** Answers a request that has no access: with the editor at its own addresses, elsewhere through `guard`. */
  app: Middleware
  /** Is this the WebSocket of the editor, which has a sign-in of its own? */
  isEditorSocket(request: IncomingMessage): boolean
}

/**
 * Protects everything that listens on the HTTP server, and returns the guard for the addresses of flows in the app.
 * Nodes put listeners of their own before the app, or in its place, whenever they like: the dashboards do, by socket.io.
 * So each request is judged before any listener hears of it, and one without access reaches the app alone.
 */
export function protect({ server, access, app, isEditorSocket }: ProtectOptions): Middleware {
  const judge = judgeBy(access)
  const passed = new WeakSet<IncomingMessage>()
  /** A node may wrap `emit`. Its wrapper comes after the judgement, and what it passes on is not judged again. */
  let behind: Server['emit'] = server.emit.bind(server)

  function emitBy(next: Server['emit'], name: string, values: unknown[]): boolean {
    const [request, other] = values as [IncomingMessage, ServerResponse | Duplex]
    const refuse = refusals[name]
    const pass = () => {
      if (refuse) passed.add(request)
      return Reflect.apply(next, server, [name, ...values]) as boolean
    }
    if (!refuse || passed.has(request) || (name === 'upgrade' && isEditorSocket(request))) return pass()
    const release = 'writeHead' in other ? () => {} : tolerateErrors(other)
    void judge(request)
      .catch(() => false)
      .then((allowed) => {
        if (allowed) pass()
        else refuse(app, request, other as ServerResponse & Duplex)
        release()
      })
    return true
  }

  Object.defineProperty(server, 'emit', {
    configurable: true,
    enumerable: true,
    get() {
      const next = behind
      return (name: string, ...values: unknown[]) => emitBy(next, name, values)
    },
    set(wrapper: Server['emit']) {
      behind = wrapper
    },
  })
  return guard(access, judge)
}

type Refuse = (app: Middleware, request: IncomingMessage, other: ServerResponse & Duplex) => void

const refuseSocket: Refuse = (_app, _request, socket) =>
  socket.on('error', () => {}).end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n')

/** The events by which a server hands out what somebody asked, and what becomes of it without access. */
const refusals: Record<string, Refuse | undefined> = {
  request: (app, request, response) => app(request, response, () => {}),
  checkContinue: (app, request, response) => {
    response.writeContinue()
    app(request, response, () => {})
  },
  checkExpectation: (_app, _request, response) => void response.writeHead(417).end(),
  upgrade: refuseSocket,
  connect: refuseSocket,
}

/** Nobody listens yet on a socket that is being judged, and an error without a listener ends the process. */
function tolerateErrors(socket: Duplex): () => void {
  const ignore = () => {}
  socket.on('error', ignore)
  return () => socket.off('error', ignore)
}

/** Lets requests for flows pass only where `access` does. */
function guard(access: FlowAccess, judge: Judge): Middleware {
  return (incoming, outgoing, pass) => {
    const [request, response] = [incoming as IncomingMessage, outgoing as ServerResponse]
    if (access.handle?.(request, response)) return
    void judge(request).then(
      (allowed) => (allowed ? pass() : access.refuse(request, response)),
      () =>
        response.writeHead(503, { 'content-type': 'text/plain' }).end('The sign-in cannot be checked at the moment.\n'),
    )
  }
}
