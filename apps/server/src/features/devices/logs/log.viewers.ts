import { allows, type LogEnd, logEnds, roles } from '@app/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Actor, UserActor } from '../../../platform/authz/actor.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Bus } from '../../../platform/events/bus.ts'
import { bearerOf } from '../../../platform/http/bearer.ts'
import { fail } from '../../../platform/http/failure.ts'
import { isOwnOrigin } from '../../../platform/http/origin.ts'
import { createSeats } from '../../../platform/http/seats.ts'
import { acceptSocket } from '../../../platform/http/sockets.ts'
import { type ApplicationMembers, roleKey } from '../../application-members/index.ts'
import { existing } from '../devices.store.ts'
import type { LogStreams } from './log.streams.ts'

export interface LogViewersDependencies {
  database: Database
  bus: Bus
  logStreams: Pick<LogStreams, 'watch'>
  consoleOrigin: string
  /** Which of these are still signed in? */
  stillSignedIn(actors: UserActor[]): Promise<Set<UserActor>>
  /** The owner of a token that is still good. */
  actorOf(token: string, address: string): Promise<Actor | undefined>
  applicationMembers: Pick<ApplicationMembers, 'rolesOnDevices'>
}

const checkMs = 20_000
/** A browser has one for each page that shows a log. */
const most = { perUser: 20, inAll: 2_000 }
/** Bytes that may wait for a browser that does not read. */
const waitingMost = 4 * 1024 * 1024

interface Open {
  actor: UserActor
  /** Instead of a session. */
  token: string | undefined
  deviceId: string
  socket: WebSocket
  isAlive: boolean
  end(why: LogEnd): void
}

export type LogViewers = ReturnType<typeof createLogViewers>

/** The WebSockets of people who watch logs of devices, each for as long as they may. */
export function createLogViewers(deps: LogViewersDependencies) {
  const { database, bus, logStreams } = deps
  const seats = createSeats(most)
  const open = new Set<Open>()
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}

  /** The viewers who may still see their device. */
  async function allowed(all: readonly Open[]): Promise<Set<Open>> {
    const bySession = all.filter(({ token }) => token === undefined)
    const signedIn = bySession.length > 0 && (await deps.stillSignedIn(bySession.map(({ actor }) => actor)))
    const good = new Set(bySession.filter(({ actor }) => signedIn && signedIn.has(actor)))
    for (const one of all)
      if (one.token !== undefined && (await deps.actorOf(one.token, one.actor.address))?.kind === 'user') good.add(one)
    if (good.size === 0) return good
    const ids = [...new Set([...good].map(({ deviceId }) => deviceId))]
    const known = await existing(database.read, ids)
    const roleOn = await deps.applicationMembers.rolesOnDevices(
      [...good].map(({ actor }) => actor.userId),
      ids,
    )
    for (const one of good) {
      const { userId, admin } = one.actor
      const role = admin ? roles.admin : (roleOn.get(roleKey(userId, one.deviceId)) ?? roles.none)
      if (!known.has(one.deviceId) || !allows(role, 'device:read')) good.delete(one)
    }
    return good
  }

  async function check(all: readonly Open[]): Promise<void> {
    if (all.length === 0) return
    // While the database cannot be asked, they stay as they are.
    const good = await allowed(all).catch(() => undefined)
    if (good) for (const one of all) if (!good.has(one)) one.end('refused')
  }

  function beat(): void {
    for (const one of open) {
      if (!one.isAlive) one.socket.terminate()
      one.isAlive = false
      one.socket.ping()
    }
    void check([...open])
  }

  return {
    /**
     * Opens the log for the caller. @throws Failure cross_origin, too_many_requests, upgrade_required.
     */
    async open(actor: Actor, device: { id: string; team_id: string }, request: FastifyRequest, reply: FastifyReply) {
      if (actor.kind !== 'user') throw fail('unauthorized')
      const token = bearerOf(request.headers)
      if (token === undefined && !isOwnOrigin(request.headers, deps.consoleOrigin)) throw fail('cross_origin')
      const leave = seats.take(actor.userId)
      if (!leave) throw fail('too_many_requests', 'Too many logs of devices are open. Close some of their pages')
      const socket = await acceptSocket(request, reply).catch((error: unknown) => {
        leave()
        throw error
      })
      const end = (why: LogEnd) => socket.close(logEnds[why], why)
      const one: Open = { actor, token, deviceId: device.id, socket, isAlive: true, end }
      open.add(one)
      const unwatch = logStreams.watch(device.id, device.team_id, {
        send: (text) => (socket.bufferedAmount > waitingMost ? end('again') : socket.send(text)),
        end,
      })
      socket.on('pong', () => (one.isAlive = true))
      socket.on('error', () => socket.terminate())
      socket.on('close', () => {
        open.delete(one)
        leave()
        unwatch()
      })
      // The session may have ended while the request was judged.
      void check([one])
    },
    start(): void {
      timer = setInterval(beat, checkMs)
      unsubscribe = bus.subscribe((event) => {
        const user = event.type === 'session' ? event.user : event.type === 'team' ? event.member : undefined
        if (user !== undefined) void check([...open].filter(({ actor }) => actor.userId === user))
        if (event.type === 'reach')
          void check([...open].filter(({ actor }) => event.users?.includes(actor.userId) ?? true))
        if (event.type === 'device') void check([...open].filter(({ deviceId }) => deviceId === event.id))
      })
    },
    stop(): void {
      clearInterval(timer)
      unsubscribe()
      for (const { socket } of open) socket.terminate()
    },
  }
}
