import { type PushEvent, roles, type RouteIdOf } from '@app/contract'
import type { FastifyReply } from 'fastify'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Handlers } from '../../platform/http/context.ts'

export interface RealtimeDependencies {
  bus: Bus
  /** Teams in which the user has at least this role. */
  teamIdsOf(userId: string, atLeast: number): Promise<string[]>
  /** Is the session of the stream still good? Asked with every heartbeat. */
  stillSignedIn(actor: UserActor): Promise<boolean>
}

const heartbeatMs = 20_000

/** Streams of server-sent events, one per browser, each limited to the teams its user may see. */
export function createRealtime(deps: RealtimeDependencies) {
  const open = new Set<() => void>()

  async function serve(actor: UserActor, reply: FastifyReply, visiting: string | undefined): Promise<void> {
    const raw = reply.raw
    let teams = new Set<string>()
    const refresh = async () => {
      teams = new Set(await deps.teamIdsOf(actor.userId, roles.viewer))
      if (visiting && actor.admin) teams.add(visiting)
    }
    await refresh()
    reply.hijack()
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    raw.write('retry: 1000\n\nevent: ready\ndata: {}\n\n')

    const send = (event: PushEvent) => {
      const pass = () => {
        if (teams.has(event.team) && !raw.destroyed) raw.write(`data: ${JSON.stringify(event)}\n\n`)
      }
      // A change of a team may be that this user was added or removed.
      if (event.type === 'team') void refresh().then(pass)
      else pass()
    }
    const stops = [deps.bus.subscribe(send), deps.bus.onGap(() => void raw.write('event: gap\ndata: {}\n\n'))]
    const timer = setInterval(() => {
      raw.write(': alive\n\n')
      void deps.stillSignedIn(actor).then(async (good) => (good ? refresh() : close()))
    }, heartbeatMs)
    function close(): void {
      clearInterval(timer)
      for (const stop of stops) stop()
      open.delete(close)
      raw.end()
    }
    open.add(close)
    raw.on('close', close)
  }

  return {
    handlers: {
      'events.stream': async ({ actor, reply }, { query }) => serve(actor, reply, query.team),
    } satisfies Handlers<RouteIdOf<'events'>>,
    close: () => {
      for (const close of open) close()
    },
  }
}
