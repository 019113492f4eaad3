import type { Endpoint } from '@app/drivers'
import { WebSocket } from 'ws'

/** Where Node-RED on a device has its editor, as existing agents have it. */
export const editorRoot = '/device-editor/'

export interface ChannelOptions {
  reach(): Promise<Endpoint | undefined>
  localToken: string
  take(text: string): void
  ended(): void
}
export interface Channel {
  send(text: string): void
  close(): void
}

/** A WebSocket of the editor's page to Node-RED on this device. What is sent before it is open waits. */
export function openChannel({ reach, localToken, take, ended }: ChannelOptions): Channel {
  let early: string[] | undefined = []
  let socket: WebSocket | undefined
  let isOver = false

  async function open(): Promise<void> {
    const at = await reach()
    if (isOver) return
    if (!at) return ended()
    const path = `${editorRoot}comms`
    socket = new WebSocket(
      'socketPath' in at ? `ws+unix:${at.socketPath}:${path}` : `ws://${at.host}:${at.port}${path}`,
    )
    socket.on('open', () => {
      for (const text of early ?? []) socket!.send(text)
      early = undefined
    })
    socket.on('message', (data) => take((data as Buffer).toString()))
    socket.on('error', () => socket!.terminate())
    socket.on('close', ended)
  }
  open().catch(ended)

  return {
    send(text) {
      // Node-RED here knows this agent, and not the token of the tunnel.
      const said = isAuth(text) ? JSON.stringify({ auth: localToken }) : text
      if (early) early.push(said)
      else if (socket?.readyState === WebSocket.OPEN) socket.send(said)
    },
    close() {
      isOver = true
      socket?.close()
    },
  }
}

const isAuth = (text: string): boolean => typeof (jsonOf(text) as { auth?: unknown } | undefined)?.auth === 'string'

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
