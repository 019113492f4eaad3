import { tunnelIsOff } from '@app/contract'
import { isUtf8 } from 'node:buffer'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import * as z from 'zod/mini'

/** A request for the editor on a device. `url` is what comes after its root, with a slash before it. */
export interface TunnelRequest {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  body?: Buffer
}
export interface TunnelAnswer {
  status: number
  headers: Record<string, string | string[]>
  body: Buffer
}
/** The far end of a WebSocket through the tunnel. */
export interface Channel {
  send(text: string): void
  close(): void
}

const lookMs = 1_000
/**
 * After so long a silence people are told that the device is away; only after the second one the tunnel ends. The agent of
 * a slow device is silent while it writes a long answer, and old agents do not open a lost tunnel again.
 */
const silence = { toldMs: 3_000, endMs: 20_000 }
/** A deploy on a slow device takes its time. */
const answerMs = 60_000
const most = { requests: 200, channels: 100, waiting: 64 * 1024 * 1024 }

const Frame = z.looseObject({
  id: z.union([z.string(), z.number()]),
  ws: z.optional(z.boolean()),
  closed: z.optional(z.boolean()),
  status: z.optional(z.number().check(z.int(), z.minimum(200), z.maximum(599))),
  headers: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
  body: z.optional(z.unknown()),
})

/** Old agents send bytes as the JSON of a Buffer, ours as base64. No schema: there are millions of them. @throws Error */
function bytesOf(given: unknown): Buffer {
  if (given === undefined || given === null) return Buffer.alloc(0)
  if (typeof given === 'string') return Buffer.from(given)
  const { base64, data } = given as { base64?: unknown; data?: unknown }
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64')
  const bytes = Array.isArray(given) ? given : data
  if (!Array.isArray(bytes)) throw new Error('No bytes')
  return Buffer.from(bytes as number[])
}

const isText = (value: unknown): value is string | string[] =>
  typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
const headersOf = (given: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string | string[]] => isText(entry[1])))

/** A tunnel that cannot carry a request, or lost it. */
export class TunnelError extends Error {}

export interface TunnelOptions {
  socket: WebSocket
  /** The connection of the WebSocket. */
  connection: Duplex & { bytesRead?: number }
  token: string
  /** Does the agent know that WebSockets of pages end? Release 1 takes each frame for a message. */
  tellsEnds: boolean
  /** Does the agent take bodies that are no text? */
  takesBytes: boolean
}
export type Tunnel = ReturnType<typeof createTunnel>

/**
 * Requests and WebSockets for the editor on a device, as JSON frames on the WebSocket that its agent has opened
 * (docs/specification/protocol-devices.md). Silent as soon as nothing is heard of the agent for 3 s, however long a
 * frame takes.
 */
export function createTunnel({ socket, connection, token, tellsEnds, takesBytes }: TunnelOptions) {
  const requests = new Map<string, { resolve(answer: TunnelAnswer): void; reject(error: Error): void }>()
  const channels = new Map<string, { take(text: string): void; ended(): void }>()
  let last = 0
  let heardAt = performance.now()
  let lookedAt = heardAt
  let isSilent = false
  const onSilence = new Set<() => void>()
  let seen = { read: 0, waiting: 0 }

  function send(frame: object): void {
    if (socket.readyState !== socket.OPEN) throw new TunnelError('The device is not connected')
    if (socket.bufferedAmount > most.waiting) throw new TunnelError('The connection to the device is too slow for this')
    socket.send(JSON.stringify(frame))
  }

  function hear(text: string): void {
    const frame = Frame.parse(JSON.parse(text))
    const id = String(frame.id)
    if (frame.ws) {
      const channel = channels.get(id)
      if (!channel) return
      if (frame.closed) {
        channels.delete(id)
        return channel.ended()
      }
      const { body } = frame
      return channel.take(typeof body === 'string' ? body : bytesOf(body).toString())
    }
    const request = requests.get(id)
    requests.delete(id)
    // Without headers it is a failure of the agent to reach its Node-RED.
    if (!frame.headers || frame.status === undefined)
      return request?.reject(new TunnelError('Node-RED on the device does not answer'))
    request?.resolve({ status: frame.status, headers: headersOf(frame.headers), body: bytesOf(frame.body) })
  }

  function look(): void {
    const at = performance.now()
    // While this process was busy it could hear nobody.
    heardAt += Math.max(0, at - lookedAt - 2 * lookMs)
    lookedAt = at
    const now = { read: connection.bytesRead ?? 0, waiting: socket.bufferedAmount }
    if (now.read !== seen.read || (now.waiting > 0 && now.waiting !== seen.waiting)) heardAt = at
    seen = now
    if (at - heardAt > silence.endMs) return socket.terminate()
    if (at - heardAt > silence.toldMs !== isSilent) {
      isSilent = !isSilent
      for (const listener of onSilence) listener()
    }
    socket.ping()
  }
  const timer = setInterval(look, lookMs)

  socket.on('message', (data) => {
    try {
      hear((data as Buffer).toString())
    } catch {
      socket.close(1_002, 'Not a frame')
    }
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    clearInterval(timer)
    for (const { reject } of requests.values()) reject(new TunnelError('The connection to the device was lost'))
    for (const { ended } of channels.values()) ended()
    requests.clear()
    channels.clear()
  })

  return {
    token,
    /** @throws TunnelError when the device does not answer. */
    async request({ method, url, headers, body }: TunnelRequest): Promise<TunnelAnswer> {
      if (requests.size >= most.requests) throw new TunnelError('The device has too many requests to answer')
      const isPlain = body === undefined || isUtf8(body)
      if (!isPlain && !takesBytes) throw new TunnelError('The agent of the device takes no uploads. Update it')
      const id = String((last += 1))
      const { promise, resolve, reject } = Promise.withResolvers<TunnelAnswer>()
      const late = setTimeout(() => reject(new TunnelError('The device did not answer within a minute')), answerMs)
      requests.set(id, { resolve, reject })
      try {
        const text = body && (isPlain ? body.toString() : { base64: body.toString('base64') })
        send({ id, method, url, headers, ...(text === undefined ? {} : { body: text }) })
        return await promise
      } finally {
        clearTimeout(late)
        requests.delete(id)
      }
    },

    /** Opens a WebSocket on the device. @throws TunnelError. */
    open(url: string, listener: { take(text: string): void; ended(): void }): Channel {
      if (channels.size >= most.channels) throw new TunnelError('Too many editors of this device are open')
      const id = String((last += 1))
      send({ id, ws: true, url })
      channels.set(id, listener)
      const attempt = (frame: object) => {
        try {
          send(frame)
        } catch {
          // Its end is on its way to both.
        }
      }
      return {
        send: (text) => attempt({ id, ws: true, body: text }),
        close() {
          if (channels.delete(id) && tellsEnds) attempt({ id, ws: true, closed: true })
        },
      }
    },
    isOpen: (): boolean => socket.readyState === socket.OPEN,
    /** Was the agent heard of just now? */
    isHeard: (): boolean => socket.readyState === socket.OPEN && !isSilent,
    /** Told when the agent falls silent, and when it is heard again. */
    onSilence: (listener: () => void): void => void onSilence.add(listener),
    onClose: (listener: () => void): void => void socket.once('close', listener),
    end: (code = tunnelIsOff): void => socket.close(code, code === tunnelIsOff ? 'No tunnel' : 'Try again'),
  }
}
