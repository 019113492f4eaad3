import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type LogEvent, sql } from 'kysely'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../src/platform/db/database.ts'

/** Most queries one request may need; a query in a loop goes past it with the test data. */
export const mostQueries = 14

/**
 * Routes that need more by themselves: they write several things, each with its audit entries and words to find it by.
 * A verified address may bring a team with it, an account that an administrator makes as well, and invitations come by
 * fives; a device that comes from another instance leaves that one first, and a snapshot from a device may become the
 * target as well; an instance that is restored is counted first where its team has a limit,
 * a sign-in through a provider may make the account and link it, and a stage is refused where the team has no pipelines.
 * A move to another application closes editors besides what it records.
 * The health page asks every part of the platform. Jobs are not counted: they run apart from the request that asks for them.
 */
const demanding =
  /^((GET|POST) \/api\/v1\/admin\/health|POST \/account\/(?!logout)[a-z_]+(\/:token)?|POST \/account\/login\/token|POST \/ee\/sso\/(link|login\/callback)|POST \/api\/v1\/(setup|pipelines\/:pipelineId\/stages|users|teams|projects(\/:instanceId\/(actions\/rollback|snapshots))?|devices\/:deviceId\/snapshot|teams\/:teamId\/(invitations|deleted-projects\/:instanceId\/restore)|user\/mfa\/.+)|PUT \/api\/v1\/(user(\/change_password|\/mfa\/app)?|users\/:userId|projects\/:instanceId(\/application)?|devices\/:deviceId)|DELETE \/api\/v1\/users\/:userId\/mfa)$/

/**
 * The same of directories and providers: an account changes together with the row by which they know it, and the first
 * sign-in makes an account.
 */
const ofCompanies =
  /^((POST|PUT|PATCH|DELETE) \/scim\/v2\/(Users|Groups)(\/:id)?|GET \/ee\/sso\/oidc\/:providerId\/callback)$/

/**
 * The same of devices: one comes with a user of the broker and entries of its team and of its instance, after its team's
 * limits, and a target is set after its snapshot and what the devices have were judged.
 */
const ofDevices = /^POST \/api\/v1\/(devices|projects\/:instanceId\/devices\/settings)$/

/** Routes that may need more than most. */
const isDemanding = (route: string) => [demanding, ofCompanies, ofDevices].some((some) => some.test(route))

/** Statements of every transaction besides its queries. */
const bookkeeping = /^(begin|commit|rollback|select pg_notify)/

type Count = { queries: number }

/** Counts the queries of each request by its route, from its first hook until its answer is ready. */
export function countQueries() {
  const current = new AsyncLocalStorage<Count>()
  const counts = new WeakMap<FastifyRequest, Count>()
  const worst = new Map<string, number>()
  const texts = new Set<string>()
  return {
    /** The largest number seen, by method and route. */
    worst,
    /** Every statement, once. */
    texts,
    /** The routes that needed more than they may, one sentence each. */
    overspent: () =>
      [...worst]
        .filter(([route, queries]) => queries > mostQueries && !isDemanding(route))
        .map(([route, queries]) => `${route} needed ${queries} queries; at most ${mostQueries} are allowed`),
    count: ({ query }: LogEvent) => {
      texts.add(query.sql)
      const request = current.getStore()
      if (request && !bookkeeping.test(query.sql)) request.queries += 1
    },
    watch(app: FastifyInstance) {
      app.addHook('onRequest', (request, _reply, done) => {
        const count = { queries: 0 }
        counts.set(request, count)
        current.run(count, done)
      })
      // The body arrives by events of the connection, outside the context of the request.
      app.addHook('preHandler', (request, _reply, done) => current.run(counts.get(request) ?? { queries: 0 }, done))
      app.addHook('onSend', async (request) => {
        const route = `${request.method} ${request.routeOptions.url}`
        worst.set(route, Math.max(worst.get(route) ?? 0, counts.get(request)?.queries ?? 0))
      })
    },
  }
}

/** Tables of which every use of the platform leaves more behind. */
const growing = ['audit_log', 'deployments', 'flow_versions', 'jobs', 'snapshots']

/**
 * Which of these statements the embedded database answers by reading the whole of a growing table, with the step of its
 * plan that says so. Neither an index of a part of it nor its first rows are the whole.
 */
export async function wholeReads({ read }: Database, statements: Iterable<string>): Promise<string[]> {
  const rows = async <T>(text: string) => (await sql.raw<T>(text).execute(read)).rows
  const parts = await rows<{ name: string }>(
    `select name from sqlite_master where type = 'index' and lower(sql) like '% where %'`,
  )
  const found: string[] = []
  for (const statement of statements) {
    if (!/^(select|insert|update|delete|with) /i.test(statement) || /^(?!.* where ).* limit \?$/.test(statement))
      continue
    for (const { detail } of await rows<{ detail: string }>(`explain query plan ${statement}`)) {
      const isWhole = growing.some((table) => new RegExp(`^SCAN ${table}\\b`).test(detail))
      if (isWhole && !parts.some(({ name }) => detail.endsWith(`INDEX ${name}`))) found.push(`${detail}: ${statement}`)
    }
  }
  return found
}
