import type { FastifyInstance, FastifyReply } from 'fastify'
import { Registry } from 'prom-client'
import { sameSecret } from '../../platform/crypto.ts'
import type { Services } from '../../platform/features/services.ts'
import { bearerOf } from '../../platform/http/bearer.ts'
import { errorReply, fail } from '../../platform/http/failure.ts'
import { type Figure, figure } from '../../platform/health/figures.ts'
import { countRequests, processFigures, textOf } from './figures.ts'
import { type Database, isReadOnly } from '../../platform/db/database.ts'
import { countOpenJobs } from './health.store.ts'
import { parts } from './proxy.checks.ts'

const databaseMs = 2_000

type Needs = Pick<Services, 'arrivals' | 'config' | 'database' | 'disk' | 'host' | 'phase' | 'version' | 'watch'>

const addresses = /^\/(livez|readyz(\/instances)?|metrics)(\?|$)/

/** Is this the path of a probe? Monitoring programs ask under whatever host name they know. */
export const isProbe = (target: string): boolean => addresses.test(target)

/** Answers for programs that watch the platform: is it alive, may it be sent requests, and its figures. */
export function serveProbes(
  app: FastifyInstance,
  { arrivals, config: { metricsToken }, database, disk, host, phase, version, watch }: Needs,
): void {
  const requests = metricsToken === undefined ? undefined : countRequests(app)

  app.get<{ Querystring: { arrival?: unknown; held?: unknown } }>('/livez', async (request, reply) => {
    const { arrival, held } = request.query
    if (typeof arrival === 'string') {
      arrivals.note(request.raw, arrival)
      const turns = held === undefined ? undefined : arrivals.held(arrival)
      if (turns) return sendInParts(reply, turns)
    }
    return reply.header('cache-control', 'no-store').send({ status: 'ok' })
  })

  app.get('/readyz', async (_request, reply) => {
    const reason = phase() === 'ready' ? await databaseTrouble(database) : phase()
    // On a full disk people must still get in, to make room.
    const well = disk.isFull() ? { status: 'ok', disk: 'full' } : { status: 'ok' }
    return reply
      .header('cache-control', 'no-store')
      .code(reason ? 503 : 200)
      .send(reason ? { status: 'unavailable', reason } : { ...well, instances: (await host.state()).at })
  })

  // For a balancer that sends the names of instances to the one server that has them.
  app.get('/readyz/instances', async (_request, reply) => {
    const trouble = phase() === 'ready' ? await databaseTrouble(database) : phase()
    const reason = trouble ?? (host.isHere() ? undefined : 'elsewhere')
    return reply
      .header('cache-control', 'no-store')
      .code(reason ? 503 : 200)
      .send(reason ? { status: 'unavailable', reason } : { status: 'ok' })
  })

  app.get('/metrics', async (request, reply) => {
    if (!requests || metricsToken === undefined) return reply.code(404).send(errorReply(fail('not_found')))
    const given = bearerOf(request.headers) ?? ''
    if (!sameSecret(given, metricsToken)) {
      const refusal = fail('unauthorized')
      return reply.code(401).header('www-authenticate', 'Bearer').send(errorReply(refusal))
    }
    const objects = [...(await stock(database)), ...(await watch.figures())]
    const text = await textOf([...processFigures(version), ...requests.figures(), ...objects])
    return reply.header('cache-control', 'no-store').type(Registry.PROMETHEUS_CONTENT_TYPE).send(text)
  })
}

/** As a flow that streams answers, without the header by which the console asks proxies not to hold its streams back. */
async function sendInParts(reply: FastifyReply, turns: readonly Promise<void>[]): Promise<FastifyReply> {
  const { raw } = reply.hijack()
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  raw.write(parts[0])
  for (const [n, turn] of turns.entries()) {
    await turn
    raw.write(parts[n + 1]!)
  }
  raw.end()
  return reply
}

/** Why nothing can be saved; undefined when the database answers and takes writes. */
async function databaseTrouble(database: Database): Promise<'database' | 'database_read_only' | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'database'>((resolve) => {
    timer = setTimeout(() => resolve('database'), databaseMs)
  })
  const asked = isReadOnly(database).then(
    (readOnly) => (readOnly ? ('database_read_only' as const) : undefined),
    () => 'database' as const,
  )
  return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}

/** Whether the database answers, and the jobs that are open. */
async function stock({ read }: Database): Promise<Figure[]> {
  try {
    const open = (await countOpenJobs(read)).map(({ state, n }): [number, { state: string }] => [n, { state }])
    return [
      figure('flowforge_database_up', 'gauge', 'Whether the database answers.', [[1]]),
      figure('flowforge_jobs_open', 'gauge', 'Jobs that wait or are being worked on.', open),
    ]
  } catch {
    return [figure('flowforge_database_up', 'gauge', 'Whether the database answers.', [[0]])]
  }
}
