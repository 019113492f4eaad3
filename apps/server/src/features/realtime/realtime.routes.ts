import { roles, type RouteIdOf } from '@app/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Bus, BusEvent } from '../../platform/events/bus.ts'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import { isOwnOrigin } from '../../platform/http/origin.ts'
import { createSeats } from './seats.ts'

export interface RealtimeDependencies {
  bus: Bus
  consoleOrigin: string
  /** Teams in which the user has at least this role. */
  teamIdsOf(userId: string, atLeast: number): Promise<string[]>
  /** Is the session of the stream still good? Asked with every heartbeat, and when sessions of the user end. */
  stillSignedIn(actor: UserActor): Promise<boolean>
}

const heartbeatMs = 20_000
/** Bytes that may wait for a browser that does not read; then it must connect again. */
const mostWaiting = 1024 * 1024
/** A browser holds one for each of its pages. */
const most = { perUser: 50, inAll: 5_000 }

/** Streams of server-sent events, one per browser, each limited to the teams its user may see. */
export function createRealtime(deps: RealtimeDependencies) {
  const open = new Set<() => void>()
  const seats = createSeats(most)

  async function serve(
    actor: UserActor,
    request: FastifyRequest,
    reply: FastifyReply,
    visiting: string | undefined,
  ): Promise<void> {
    if (!isOwnOrigin(request.headers, deps.consoleOrigin)) throw fail('cross_origin')
    const leave = seats.take(actor.userId)
    if (!leave) {
      const failure = fail('too_many_requests', 'Too many pages are open: what changes is not shown at once here')
      throw Object.assign(failure, { retryAfter: heartbeatMs / 1000 })
    }
    const raw = reply.raw
    let teams = new Set<string>()
    const refresh = async () => {
      teams = new Set(await deps.teamIdsOf(actor.userId, roles.viewer))
      if (visiting && actor.admin) teams.add(visiting)
      // Of what the platform itself is about.
      if (actor.admin) teams.add('platform')
    }
    await refresh().catch((error: unknown) => {
      leave()
      throw error
    })
    const stream = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
    reply.hijack()
    // Gone while its teams were looked up: its close was heard by nobody, and no other will come.
    if (raw.destroyed) return leave()
    raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...stream })
    raw.write('retry: 1000\n\nevent: ready\ndata: {}\n\n')

    const write = (text: string) => {
      if (raw.writableEnded || raw.destroyed) return
      if (raw.writableLength > mostWaiting) close()
      else raw.write(text)
    }
    const pass = (event: Exclude<BusEvent, { type: 'session' }>) => {
      if (teams.has(event.team)) write(`data: ${JSON.stringify(event)}\n\n`)
    }
    const check = async () => {
      if (await deps.stillSignedIn(actor)) await refresh()
      else close()
    }
    /** While the database cannot be asked the stream stays as it is; the next heartbeat asks again. */
    const soon = (work: () => Promise<void>) => void work().catch(() => undefined)
    const hear = (event: BusEvent) => {
      if (event.type === 'session') {
        if (event.user === actor.userId) soon(check)
      } else if (event.type === 'team' && event.member === actor.userId) {
        soon(async () => {
          await refresh()
          pass(event)
        })
      } else pass(event)
    }
    const stops = [deps.bus.subscribe(hear), deps.bus.onGap(() => write('event: gap\ndata: {}\n\n'))]
    const timer = setInterval(() => {
      write(': alive\n\n')
      soon(check)
    }, heartbeatMs)
    function close(): void {
      clearInterval(timer)
      leave!()
      for (const stop of stops) stop()
      open.delete(close)
      raw.end()
    }
    open.add(close)
    raw.on('close', close)
  }

  return {
    handlers: {
      'events.stream': async ({ actor, request, reply }, { query }) => serve(actor, request, reply, query.team),
    } satisfies Handlers<RouteIdOf<'events'>>,
    close: () => {
      for (const close of open) close()
    },
  }
}
