import { WebSocket } from 'ws'

interface Frame {
  id: string
  ws?: boolean
  closed?: boolean
  method?: string
  url?: string
  headers?: Record<string, string>
  body?: string
}
export interface Served {
  status?: number
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}
export type Serve = (request: Frame) => Served | undefined | Promise<Served | undefined>

export type ScriptedTunnel = Awaited<ReturnType<typeof openScriptedTunnel>>

/**
 * A stub of the tunnel of an agent, which speaks the recorded frames. `serve` answers for Node-RED; undefined: it cannot
 * be reached. /comms says back what it hears, once it was given the token. Release 4.2.1 comes back by itself.
 */
export async function openScriptedTunnel(
  address: string,
  { deviceId, token, comesBack }: { deviceId: string; token: string; comesBack: boolean },
  serve: Serve,
) {
  const codes: number[] = []
  const channels = new Map<string, { isLet: boolean }>()
  const closed: string[] = []
  let isOver = false
  let socket: WebSocket

  const say = (frame: object) => socket.send(JSON.stringify(frame))

  function onSocketFrame({ id, closed: ends, url, body }: Frame): void {
    const channel = channels.get(id)
    // Release 1 takes it for a message, and has nothing to send.
    if (ends && !comesBack) socket.close()
    else if (ends) {
      channels.delete(id)
      closed.push(id)
    } else if (!channel && url === '/comms') channels.set(id, { isLet: false })
    else if (!channel) socket.close()
    else if (!channel.isLet) {
      channel.isLet = (JSON.parse(body!) as { auth?: string }).auth === token
      say({ id, ws: true, body: JSON.stringify({ auth: channel.isLet ? 'ok' : 'fail' }) })
    } else say({ id, ws: true, body })
  }

  async function onRequest(frame: Frame): Promise<void> {
    const answer = await serve(frame)
    if (!answer) return say({ id: frame.id, status: 404 })
    const { status = 200, headers = {}, body = '' } = answer
    say({ id: frame.id, headers, body: Buffer.from(body as string), status })
  }

  async function connect(): Promise<void> {
    const url = `${address.replace(/^http/, 'ws')}/api/v1/devices/${deviceId}/editor/comms/${token}`
    socket = new WebSocket(url, { headers: { 'x-access-token': token } })
    socket.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString()) as Frame
      if (frame.ws) onSocketFrame(frame)
      else void onRequest(frame)
    })
    socket.on('close', (code) => {
      codes.push(code)
      channels.clear()
      if (comesBack && !isOver && code !== 4_004) setTimeout(() => void connect().catch(() => {}), 200)
    })
    await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject))
  }
  await connect()

  return {
    /** The codes with which it was closed. */
    codes,
    /** The ids of the WebSockets whose page went. */
    closed,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    /** The network takes everything and gives nothing. */
    freeze: () => socket.pause(),
    thaw: () => socket.resume(),
    cut: () => socket.terminate(),
    end() {
      isOver = true
      socket.terminate()
    },
  }
}
