import { limits, tunnelIsOff } from '@app/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { hashToken } from '../../../platform/crypto.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Bus } from '../../../platform/events/bus.ts'
import { acceptSocket } from '../../../platform/http/sockets.ts'
import { takesBytes, tellsEnds } from '../developer/agent.releases.ts'
import { findEditor, forgetConnected, setConnected } from './editor.store.ts'
import { createTunnel, type Tunnel } from './tunnel.ts'

export interface TunnelsDependencies {
  database: Database
  bus: Bus
  log: Logger
}

/** Bytes of one frame: the longest answer of an editor, its flows. JSON of old agents has four bytes for each. */
const frameMax = 4 * limits.flowsBytes + 1024 * 1024
/** So a restarting server is tried again. */
const serverEnds = 1_012

export type EditorTunnels = ReturnType<typeof createEditorTunnels>

/**
 * The tunnels that agents hold open to this server. Agents open them at the server that runs the instances, as they do
 * with the broker, so that one server has them all.
 */
export function createEditorTunnels({ database, bus, log }: TunnelsDependencies) {
  const tunnels = new Map<string, Tunnel>()
  const listeners = new Map<string, Set<() => void>>()
  let isHost = false
  let unsubscribe = () => {}

  function tell(deviceId: string): void {
    for (const listener of listeners.get(deviceId) ?? []) listener()
  }

  async function record(deviceId: string, isConnected: boolean): Promise<void> {
    await database.transact(async (tx) => {
      const row = await findEditor(tx, deviceId)
      if (!row) return
      await setConnected(tx, deviceId, isConnected)
      await bus.publish(tx, { type: 'device', team: row.team_id, id: deviceId })
    })
  }
  const recorded = (deviceId: string) =>
    record(deviceId, tunnels.get(deviceId)?.isHeard() === true).catch((error: unknown) =>
      log.warn({ err: error, deviceId }, 'the state of a tunnel was not recorded'),
    )

  /** Ends a tunnel that is off by now: switched off, or the device has other credentials, or is gone. */
  async function check(deviceId: string): Promise<void> {
    const tunnel = tunnels.get(deviceId)
    if (!tunnel) return
    const row = await findEditor(database.read, deviceId)
    if (row?.editor_token_hash !== hashToken(tunnel.token)) tunnel.end()
  }

  return {
    /**
     * Takes the tunnel of an agent; the one before it ends. With a wrong token, or while the editor of the device is
     * off, it is closed with a code after which agents do not come back.
     */
    async take(deviceId: string, token: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const row = await findEditor(database.read, deviceId)
      const isGood = row !== undefined && row.editor_token_hash === hashToken(token)
      // Before the agent knows that its tunnel is open, so that whoever asked for it sees it too.
      if (isGood && isHost) await record(deviceId, true)
      const socket = await acceptSocket(request, reply, frameMax).catch(async (error: unknown) => {
        await recorded(deviceId)
        throw error
      })
      if (!isGood) return socket.close(tunnelIsOff, 'No tunnel')
      if (!isHost) return socket.close(serverEnds, 'Try again')
      const tunnel = createTunnel({
        socket,
        connection: request.raw.socket,
        token,
        tellsEnds: tellsEnds(row),
        takesBytes: takesBytes(row),
      })
      const former = tunnels.get(deviceId)
      tunnels.set(deviceId, tunnel)
      former?.end()
      tunnel.onSilence(() => {
        if (tunnels.get(deviceId) !== tunnel) return
        tell(deviceId)
        void recorded(deviceId)
      })
      tunnel.onClose(() => {
        if (tunnels.get(deviceId) !== tunnel) return
        tunnels.delete(deviceId)
        tell(deviceId)
        void recorded(deviceId)
      })
      tell(deviceId)
      // It may have been switched off while the socket was opened.
      await check(deviceId)
    },
    of(deviceId: string): Tunnel | undefined {
      const tunnel = tunnels.get(deviceId)
      return tunnel?.isOpen() ? tunnel : undefined
    },
    /** Tells of each tunnel of a device that comes, falls silent or goes, until the returned function is called. */
    watch(deviceId: string, listener: () => void): () => void {
      const all = listeners.get(deviceId) ?? new Set()
      listeners.set(deviceId, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0) listeners.delete(deviceId)
      }
    },
    async start(isHere: boolean): Promise<void> {
      isHost = isHere
      if (!isHere) return
      await forgetConnected(database.read)
      const checkAll = (ids: Iterable<string>) => {
        for (const id of ids) check(id).catch((error: unknown) => log.warn({ err: error }, 'a tunnel was not checked'))
      }
      const unhear = bus.subscribe((event) => {
        if (event.type === 'device') checkAll([event.id])
      })
      const unhook = bus.onGap(() => checkAll([...tunnels.keys()]))
      unsubscribe = () => {
        unhear()
        unhook()
      }
    },
    stop(): void {
      unsubscribe()
      for (const tunnel of tunnels.values()) tunnel.end(serverEnds)
    },
  }
}
