import { editorProofHeader, tunnelIsOff } from '@app/contract/device-tunnel.constants'
import type { Endpoint } from '@app/drivers'
import { request } from 'node:http'
import { WebSocket } from 'ws'
import * as z from 'zod/mini'
import type { DeviceFile } from '../agent.config.ts'
import type { Log } from '../agent.log.ts'
import { wayOut } from '../link/http.client.ts'
import { type Channel, editorRoot, jsonOf, openChannel } from './tunnel.channel.ts'

/** Pause before the next attempt. It doubles with each failure. */
const againMs = { first: 1_000, most: 10_000 }
/** The platform pings every second. */
const silentMs = 15_000
const openMs = 10_000
const answerMax = 64 * 1024 * 1024

const Frame = z.looseObject({
  id: z.string(),
  ws: z.optional(z.boolean()),
  closed: z.optional(z.boolean()),
  method: z.optional(z.string()),
  url: z.optional(z.string()),
  headers: z.optional(z.record(z.string(), z.union([z.string(), z.array(z.string())]))),
  body: z.optional(z.union([z.string(), z.object({ base64: z.string() })])),
})
type Frame = z.infer<typeof Frame>

export interface TunnelOptions {
  config: DeviceFile
  token: string
  log: Log
  /** By which Node-RED knows this agent. */
  localToken: string
  /** Node-RED, once it answers; undefined: it does not run. */
  reach(): Promise<Endpoint | undefined>
  /** The platform has closed the tunnel for good. */
  onOff(): void
}
export type TunnelClient = ReturnType<typeof openTunnel>

/** The tunnel through which the platform reaches the editor of this device, opened again until the platform says that it is off. */
export function openTunnel({ config, token, log, localToken, reach, onOff }: TunnelOptions) {
  const { ca, agentFor } = wayOut(config)
  const path = `/api/v1/devices/${encodeURIComponent(config.deviceId)}/editor/comms/${encodeURIComponent(token)}`
  const url = `${config.forgeURL.replace(/^http/, 'ws')}${path}`
  const channels = new Map<string, Channel>()
  let socket: WebSocket | undefined
  let pauseMs = againMs.first
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let opened = Promise.withResolvers<boolean>()
  let hasOpened = false

  function connect(): void {
    const agent = agentFor(url)
    const now = new WebSocket(url, {
      headers: { 'x-access-token': token },
      handshakeTimeout: openMs,
      ...(agent && { agent }),
      ...(ca && { ca }),
    })
    socket = now
    let silence: NodeJS.Timeout | undefined
    const heard = () => {
      clearTimeout(silence)
      silence = setTimeout(() => now.terminate(), silentMs)
    }
    now.on('open', () => {
      hasOpened = true
      pauseMs = againMs.first
      opened.resolve(true)
      heard()
    })
    now.on('ping', heard)
    now.on('message', (data) => {
      heard()
      const frame = Frame.safeParse(jsonOf((data as Buffer).toString())).data
      if (frame?.ws) relay(frame, now)
      else if (frame) void answer(frame, now)
    })
    now.on('error', (error) => {
      log.warn(`The tunnel to the platform failed: ${error.message}`)
      now.terminate()
    })
    now.on('close', (code) => {
      clearTimeout(silence)
      for (const channel of channels.values()) channel.close()
      channels.clear()
      if (isOver) return
      if (code === tunnelIsOff) return end()
      // A caller that waits for the first opening goes on waiting.
      if (hasOpened) opened = Promise.withResolvers()
      hasOpened = false
      timer = setTimeout(connect, pauseMs)
      pauseMs = Math.min(pauseMs * 2, againMs.most)
    })
  }

  function end(): void {
    isOver = true
    clearTimeout(timer)
    onOff()
  }

  async function answer({ id, method = 'GET', url: target = '/', headers = {}, body }: Frame, to: WebSocket) {
    const { [editorProofHeader]: proof, ...others } = headers
    const at = await reach()
    if (!at) return say(to, { id, status: 404 })
    const call = request(
      {
        ...at,
        method,
        path: `${editorRoot}${target.replace(/^\//, '')}`,
        // With who makes the request, which Node-RED then says in its audit events.
        headers: { ...others, authorization: `Bearer ${[localToken, proof ?? []].flat().join('.')}` },
        agent: false,
      },
      (reply) => {
        const parts: Buffer[] = []
        let length = 0
        reply.on('data', (part: Buffer) => {
          length += part.length
          if (length > answerMax) call.destroy(new Error('too long'))
          else parts.push(part)
        })
        reply.on('end', () =>
          say(to, {
            id,
            status: reply.statusCode,
            headers: reply.headers,
            body: { base64: Buffer.concat(parts).toString('base64') },
          }),
        )
      },
    )
    call.on('error', () => say(to, { id, status: 404 }))
    call.end(body === undefined ? undefined : typeof body === 'string' ? body : Buffer.from(body.base64, 'base64'))
  }

  function relay({ id, closed, url: target, body }: Frame, to: WebSocket): void {
    const known = channels.get(id)
    if (closed) {
      channels.delete(id)
      return known?.close()
    }
    if (known) return void (typeof body === 'string' && known.send(body))
    if (target === undefined) return
    const channel = openChannel({
      reach,
      localToken,
      take: (text) => say(to, { id, ws: true, body: text }),
      ended: () => channels.delete(id) && say(to, { id, ws: true, closed: true }),
    })
    channels.set(id, channel)
  }

  connect()
  return {
    /** Whether it is open within so many milliseconds. */
    async isOpen(ms: number): Promise<boolean> {
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, ms, false).unref())
      return Promise.race([opened.promise, late])
    },
    close(): void {
      isOver = true
      clearTimeout(timer)
      socket?.close()
    },
  }
}

function say(socket: WebSocket, frame: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
}
