import type { RouteIdOf } from '@app/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import { isOwnOrigin } from '../../platform/http/origin.ts'
import { createSeats } from '../../platform/http/seats.ts'
import { createStreams, type StreamsDependencies } from './streams.ts'

export interface RealtimeDependencies extends StreamsDependencies {
  consoleOrigin: string
}

const heartbeatMs = 20_000
/** Bytes that may wait for a browser that does not read; then it must connect again. */
const mostWaiting = 1024 * 1024
/** A browser holds one for each of its pages. */
const most = { perUser: 50, inAll: 5_000 }

export type Realtime = ReturnType<typeof createRealtime>

/** Streams of server-sent events, one per browser, each limited to the teams its user may see. */
export function createRealtime(deps: RealtimeDependencies) {
  const streams = createStreams(deps)
  let isClosed = false
  const seats = createSeats(most)

  function serve(actor: UserActor, request: FastifyRequest, reply: FastifyReply, shows: string | undefined): void {
    if (!isOwnOrigin(request.headers, deps.consoleOrigin)) throw fail('cross_origin')
    const leave = seats.take(actor.userId)
    if (!leave)
      throw fail('too_many_requests', 'Too many pages are open, so this one does not update by itself', {
        retryAfter: heartbeatMs / 1000,
      })
    const raw = reply.raw
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
    reply.hijack()
    // Gone before anybody listened to its close, and no other will come.
    if (raw.destroyed) return leave()
    raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headers })
    raw.write('retry: 1000\n\n')

    const stream = {
      actor,
      shows,
      write(text: string): void {
        if (raw.writableEnded || raw.destroyed) return
        if (raw.writableLength > mostWaiting) close()
        else raw.write(text)
      },
      end: close,
    }
    const remove = streams.add(stream, () => stream.write('event: ready\ndata: {}\n\n'))
    const timer = setInterval(() => {
      stream.write(': alive\n\n')
      streams.beat(stream)
    }, heartbeatMs)
    function close(): void {
      clearInterval(timer)
      leave!()
      remove()
      raw.end()
    }
    raw.on('close', close)
    // The browser connects again by itself, and then finds the next server.
    if (isClosed) close()
  }

  return {
    handlers: {
      'events.stream': async ({ actor, request, reply }, { query }) => serve(actor, request, reply, query.team),
    } satisfies Handlers<RouteIdOf<'events'>>,
    close: () => {
      isClosed = true
      streams.close()
    },
  }
}
