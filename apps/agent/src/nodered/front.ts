import type { Endpoint } from '@app/drivers'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { editorRoot } from '../editor/tunnel.channel.ts'
import { AgentError } from '../agent.errors.ts'

/** Maximum time that a request waits for a takeover of flows. */
const holdMs = 10_000
const lookMs = 5

type Wait = (end: Promise<void>) => Promise<void>
/** Waits for one thing after the other, for all together no longer than a request may. */
function patience(): Wait {
  let late: Promise<void> | undefined
  return async (end) => Promise.race([end, (late ??= delay(holdMs, undefined, { ref: false }))])
}

/** A Node-RED that answers requests. */
interface Serving {
  id: string
  at: Endpoint
}
export type Front = Awaited<ReturnType<typeof openFront>>

/**
 * The port on which flows answer HTTP and WebSocket. It stays open while one Node-RED takes over from another, and
 * requests that come meanwhile wait, so none is lost. `serving`: the Node-RED that answers now. `isEditorOpen`: may
 * people open the editor here?
 * @throws AgentError port_in_use.
 */
export async function openFront(port: number, serving: () => Serving | undefined, isEditorOpen: () => boolean) {
  let held: PromiseWithResolvers<void> | undefined
  let takeover: Promise<void> | undefined
  /** Number of requests that each Node-RED has to answer. */
  const underWay = new Map<string, number>()
  function count(id: string, by: 1 | -1): void {
    const left = (underWay.get(id) ?? 0) + by
    if (left === 0) underWay.delete(id)
    else underWay.set(id, left)
  }

  const isClosed = (incoming: IncomingMessage) => isEditor(incoming) && !isEditorOpen()

  async function answering(wait = patience()): Promise<Serving | undefined> {
    if (held) await wait(held.promise)
    return serving()
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (isClosed(incoming)) return refuse(outgoing)
    const wait = patience()
    const first = await answering(wait)
    const change = takeover
    if (first && (await send(first, incoming, outgoing))) return
    if (!change) return refuse(outgoing)
    // The version that took over may have ended, and the one before goes on in a moment.
    await wait(change)
    const other = await answering(wait)
    if (!other || !(await send(other, incoming, outgoing))) refuse(outgoing)
  }

  /**
   * True when somebody has taken the connection, or whoever asked has gone. False when nobody takes it; nothing of the
   * body was read then.
   */
  async function send({ id, at }: Serving, incoming: IncomingMessage, outgoing: ServerResponse): Promise<boolean> {
    // The client may have gone while it waited.
    if (outgoing.destroyed) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const { method, url } = incoming
    const call = request({ ...at, method, path: url, headers: forwarded(incoming), agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutHops(answer.headers))
      answer.on('error', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    count(id, 1)
    const end = () => {
      count(id, -1)
      call.destroy()
    }
    outgoing.once('close', end)
    call.once('socket', (socket) =>
      socket.once('connect', () => {
        resolve(true)
        incoming.pipe(call)
      }),
    )
    call.on('error', ({ syscall }: NodeJS.ErrnoException) => {
      if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy()
      else if (syscall === 'connect') {
        outgoing.off('close', end)
        count(id, -1)
        return resolve(false)
      } else breakOff(outgoing)
      resolve(true)
    })
    return promise
  }

  async function passSocket(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const at = isClosed(incoming) ? undefined : (await answering())?.at
    if (!at) return void socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n')
    const to = 'socketPath' in at ? connect(at.socketPath) : connect(at.port, at.host)
    to.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.on('close', () => to.destroy())
    const headers = { ...forwarded(incoming), connection: 'upgrade', upgrade: incoming.headers.upgrade }
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one) => `${name}: ${one}`),
    )
    to.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    to.write(head)
    socket.pipe(to).pipe(socket)
  }

  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing))
  server.on('upgrade', (incoming, socket, head) => void passSocket(incoming, socket, head))
  // Flows may answer as slowly as they like.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new AgentError(
          'port_in_use',
          `Port ${port} cannot be opened (${cause.code}). Another program may use it: set "port" in the file of the device.`,
          { cause },
        ),
      ),
    )
    server.listen(port, resolve)
  })

  return {
    /** From now on requests wait, until `open`. */
    hold(): void {
      held ??= Promise.withResolvers()
    },
    open(): void {
      held?.resolve()
      held = undefined
    },
    /** Requests that nobody takes meanwhile wait for its end. */
    async during(change: () => Promise<void>): Promise<void> {
      const done = Promise.withResolvers<void>()
      takeover = done.promise
      try {
        await change()
      } finally {
        takeover = undefined
        done.resolve()
      }
    },
    /** Node-RED, once none takes over from another; undefined: it does not run. */
    reach: async (): Promise<Endpoint | undefined> => (await answering())?.at,
    /** Resolves when this Node-RED has answered the requests it has, or after `ms`. */
    async drained(id: string, ms: number): Promise<void> {
      for (let left = ms; left > 0 && underWay.has(id); left -= lookMs) await delay(lookMs)
    },
    close(): void {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * Where it is not open here, the editor is reached by the tunnel alone. Node-RED also takes an address with a host, as of
 * requests to a proxy.
 */
const isEditor = ({ url = '' }: IncomingMessage) =>
  url
    .toLowerCase()
    .replace(/^https?:\/\/[^/]*/, '')
    .startsWith(editorRoot.slice(0, -1))

function refuse(response: ServerResponse): void {
  response
    .writeHead(503, { 'content-type': 'text/plain', 'retry-after': '5' })
    .end('The flows of this device do not run.\n')
}

/** The request may have been handled, so nobody is told to send it again. */
function breakOff(response: ServerResponse): void {
  response
    .writeHead(502, { 'content-type': 'text/plain' })
    .end('The flows of this device broke off before they answered.\n')
}

const hops = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'forwarded'])
const withoutHops = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name, value]) => !hops.has(name) && value !== undefined))

/** Node-RED believes these, so none of the client's passes. */
function forwarded({ headers, socket }: IncomingMessage) {
  return {
    ...withoutHops(headers),
    'x-forwarded-for': socket.remoteAddress ?? '',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': headers.host ?? '',
  }
}
