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
  /** Of the platform as people reach it. */
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

/** Lets requests for flows pass only where `access` does. */
export function guard(access: FlowAccess): Middleware {
  return (incoming, outgoing, pass) => {
    const [request, response] = [incoming as IncomingMessage, outgoing as ServerResponse]
    if (access.handle?.(request, response)) return
    void access.allows(request).then(
      (allowed) => (allowed ? pass() : access.refuse(request, response)),
      () =>
        response.writeHead(503, { 'content-type': 'text/plain' }).end('The sign-in cannot be checked at the moment.\n'),
    )
  }
}

/** WebSockets pass by the middleware, so they are judged before anybody hears of them. `isOpen`: not an address of flows. */
export function guardUpgrades(server: Server, access: FlowAccess, isOpen: (path: string) => boolean): void {
  const emit = server.emit.bind(server)
  const refuse = (socket: Duplex) => socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n')
  server.emit = (name: string, ...values: unknown[]) => {
    const [request, socket] = values as [IncomingMessage, Duplex]
    if (name !== 'upgrade' || isOpen(request.url ?? '/')) return emit(name, ...values)
    void access.allows(request).then(
      (allowed) => (allowed ? emit(name, ...values) : refuse(socket)),
      () => refuse(socket),
    )
    return true
  }
}
