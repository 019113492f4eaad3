import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Bus } from '../../../platform/events/bus.ts'
import { responseOn } from '../../../platform/proxy/index.ts'
import type { EditorDoor } from './editor.door.ts'
import type { EditorSessionRow } from './editor.store.ts'
import type { EditorTunnels } from './editor.tunnels.ts'
import { type Channel, TunnelError } from './tunnel.ts'

interface SocketsDependencies {
  bus: Bus
  door: Pick<EditorDoor, 'allowed'>
  editorTunnels: EditorTunnels
}

const checkMs = 20_000
/** Editors say little: what they deploy goes by HTTP. */
const fromPageMax = 1024 * 1024
/** Bytes that may wait for a page that does not read, and messages for a device that has not let it in yet. */
const most = { waiting: 8 * 1024 * 1024, early: 100 }

interface Open {
  person: EditorSessionRow
  socket: WebSocket
}

/** The WebSockets of editors' pages, each to the device and back, for as long as its person may use the editor. */
export function createEditorSockets({ bus, door, editorTunnels }: SocketsDependencies) {
  const server = new WebSocketServer({ noServer: true, maxPayload: fromPageMax })
  const open = new Set<Open>()
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}

  async function check(all: readonly Open[]): Promise<void> {
    // While the database cannot be asked, they stay as they are.
    const good = await door.allowed(all.map(({ person }) => person)).catch(() => undefined)
    if (good) for (const { person, socket } of all) if (!good.has(person)) socket.close(4_003, 'refused')
  }

  /** Node-RED wants a token first; its own word on that is no business of the page. */
  function join(deviceId: string, url: string, socket: WebSocket): void {
    const tunnel = editorTunnels.of(deviceId)
    if (!tunnel) return socket.close(1_013, 'The device is not connected')
    let early: string[] | undefined = []
    let channel: Channel
    try {
      channel = tunnel.open(url, {
        take(text) {
          if (early) {
            const waited = early
            early = undefined
            for (const one of waited) channel.send(one)
            if (text === '{"auth":"ok"}') return
          }
          if (socket.bufferedAmount > most.waiting) return socket.close(1_013, 'Too slow')
          socket.send(text)
        },
        ended: () => socket.close(1_013, 'The device is not connected'),
      })
    } catch (error) {
      if (!(error instanceof TunnelError)) throw error
      return socket.close(1_013, error.message)
    }
    channel.send(JSON.stringify({ auth: tunnel.token }))
    socket.on('message', (data) => {
      const text = (data as Buffer).toString()
      if (!early) channel.send(text)
      else if (early.push(text) > most.early) socket.close(1_008, 'Too early')
    })
    socket.on('close', () => channel.close())
  }

  return {
    open(deviceId: string, person: EditorSessionRow, request: IncomingMessage, raw: Duplex, head: Buffer): void {
      const { pathname } = new URL(request.url ?? '/', 'http://editor')
      // Agents open no other.
      if (pathname !== '/comms') return void responseOn(request, raw).writeHead(404).end()
      server.handleUpgrade(request, raw, head, (socket) => {
        const one = { person, socket }
        open.add(one)
        socket.on('error', () => socket.terminate())
        socket.on('close', () => open.delete(one))
        join(deviceId, pathname, socket)
        // The session may have ended while the request was judged.
        void check([one])
      })
    },
    start(): void {
      timer = setInterval(() => void check([...open]), checkMs)
      unsubscribe = bus.subscribe((event) => {
        const user = event.type === 'session' ? event.user : event.type === 'team' ? event.member : undefined
        if (event.type === 'reach')
          void check([...open].filter(({ person }) => event.users?.includes(person.user_id) ?? true))
        if (user !== undefined) void check([...open].filter(({ person }) => person.user_id === user))
      })
    },
    stop(): void {
      clearInterval(timer)
      unsubscribe()
      for (const { socket } of open) socket.terminate()
    },
  }
}
