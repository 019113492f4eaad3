import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { brokenRule } from '../../platform/db/database.ts'
import type { Services } from '../../platform/features/services.ts'
import { asFailure } from '../../platform/http/app.ts'
import { bearerOf } from '../../platform/http/bearer.ts'
import { fail } from '../../platform/http/failure.ts'
import { logOf } from '../../platform/http/request-id.ts'
import { parseFilter } from './filter.parser.ts'
import { errorBody, notFound, ScimError } from './scim.errors.ts'
import { projected, wantsMembers } from './scim.projection.ts'
import { mostResults, resourceTypes, schemas, serviceProviderConfig } from './scim.schemas.ts'
import type { Provisioner } from './scim-tokens.service.ts'

const prefix = '/scim/v2'
const mediaType = 'application/scim+json; charset=utf-8'
/** A group with all its members. */
const groupLimit = 8 * 1024 * 1024
const firstCount = 100

/** The address below which SCIM answers, for directories. */
export const scimBase = (baseUrl: string): string => `${baseUrl}${prefix}`

type Query = Record<string, unknown>
type Asked = FastifyRequest<{ Params: { id: string }; Querystring: Query }>

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function portionOf(query: Query) {
  const filter = textOf(query.filter)
  const start = Math.max(1, Math.trunc(Number(query.startIndex ?? 1)) || 1)
  const count = Math.trunc(Number(query.count ?? firstCount))
  const limit = Math.min(mostResults, Math.max(0, Number.isFinite(count) ? count : firstCount))
  return { filter: filter === undefined ? undefined : parseFilter(filter), offset: start - 1, limit }
}

function listOf(resources: readonly object[], total = resources.length, startIndex = 1) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

type Needs = Pick<Services, 'baseUrl' | 'disk' | 'scimGroups' | 'scimTokens' | 'scimUsers' | 'ssoDomains' | 'trust'>

/**
 * Serves SCIM 2.0 (RFC 7644). Its addresses, bodies and errors are those of the standard, so they are not in the contract
 * (decision 115).
 */
export function serveScim(app: FastifyInstance, services: Needs): void {
  void app.register(async (scim) => serveAll(scim, services), { prefix })
}

function serveAll(scim: FastifyInstance, services: Needs): void {
  const { baseUrl, disk, scimTokens, ssoDomains, trust } = services
  const base = scimBase(baseUrl)
  const callers = new WeakMap<FastifyRequest, Provisioner>()
  const send = (reply: FastifyReply, body: object, status = 200) => reply.code(status).type(mediaType).send(body)

  const json = scim.getDefaultJsonParser('error', 'error')
  scim.removeContentTypeParser('application/json')
  scim.addContentTypeParser(
    ['application/scim+json', 'application/json'],
    { parseAs: 'string' },
    // Directories name the type of a body that a DELETE does not have.
    (request, body, done) => (body === '' ? done(null, undefined) : json(request, body as string, done)),
  )
  scim.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!(await ssoDomains.isOn())) throw notFound()
    const token = bearerOf(request.headers)
    const actor = token && (await scimTokens.actorOf(token, trust.clientAddress(request.raw) ?? ''))
    if (!actor) {
      reply.header('www-authenticate', 'Bearer')
      throw new ScimError(401, 'Send a valid SCIM token of this platform as bearer token')
    }
    if (request.method !== 'GET' && disk.isFull()) throw fail('disk_full')
    callers.set(request, actor)
  })
  scim.setErrorHandler(async (error, request, reply) => {
    const known = error instanceof ScimError ? error : asFailure(error)
    if (known) {
      const { status, body } = errorBody(known)
      return send(reply, body, status)
    }
    if (brokenRule(error) === 'unique') {
      const { status, body } = errorBody(new ScimError(409, 'Another resource has this name', 'uniqueness'))
      return send(reply, body, status)
    }
    logOf(request).error({ err: error, route: request.routeOptions.url }, 'request failed')
    return send(reply, errorBody(fail('unexpected_error')).body, 500)
  })
  scim.setNotFoundHandler(async (_request, reply) => send(reply, errorBody(notFound()).body, 404))

  serveDiscovery(scim, base, send)
  for (const path of ['/Me', '/Bulk', '/.search'])
    scim.all(path, async () => {
      throw new ScimError(501, `${path} is not supported`)
    })
  serveUsers(scim, services, callers, send)
  serveGroups(scim, services, callers, send)
}

type Send = (reply: FastifyReply, body: object, status?: number) => FastifyReply
type Callers = WeakMap<FastifyRequest, Provisioner>

function serveDiscovery(scim: FastifyInstance, base: string, send: Send): void {
  const serveList = (path: string, all: readonly { id: string }[]) => {
    scim.get(path, async (_request, reply) => send(reply, listOf(all)))
    scim.get(`${path}/:id`, async (request: Asked, reply) => {
      const one = all.find(({ id }) => id === request.params.id)
      if (!one) throw notFound()
      return send(reply, one)
    })
  }
  scim.get('/ServiceProviderConfig', async (_request, reply) => send(reply, serviceProviderConfig(base)))
  serveList('/ResourceTypes', resourceTypes(base))
  serveList('/Schemas', schemas(base))
}

function serveUsers(scim: FastifyInstance, { scimUsers }: Needs, callers: Callers, send: Send): void {
  const actorOf = (request: FastifyRequest) => callers.get(request)!
  scim.get('/Users', async (request: Asked, reply) => {
    const portion = portionOf(request.query)
    const { resources, count } = await scimUsers.list(actorOf(request), portion)
    const shown = resources.map((one) => projected(one, request.query))
    return send(reply, listOf(shown, count, portion.offset + 1))
  })
  scim.post('/Users', async (request, reply) => {
    const user = await scimUsers.create(actorOf(request), request.body)
    return send(reply.header('location', (user.meta as { location: string }).location), user, 201)
  })
  scim.get('/Users/:id', async (request: Asked, reply) =>
    send(reply, projected(await scimUsers.get(actorOf(request), request.params.id), request.query)),
  )
  scim.put('/Users/:id', async (request: Asked, reply) =>
    send(reply, await scimUsers.replace(actorOf(request), request.params.id, request.body)),
  )
  scim.patch('/Users/:id', async (request: Asked, reply) =>
    send(reply, await scimUsers.patch(actorOf(request), request.params.id, request.body)),
  )
  scim.delete('/Users/:id', async (request: Asked, reply) => {
    await scimUsers.remove(actorOf(request), request.params.id)
    return reply.code(204).send()
  })
}

function serveGroups(scim: FastifyInstance, { scimGroups }: Needs, callers: Callers, send: Send): void {
  const actorOf = (request: FastifyRequest) => callers.get(request)!
  const large = { bodyLimit: groupLimit }
  scim.get('/Groups', async (request: Asked, reply) => {
    const portion = portionOf(request.query)
    const { resources, count } = await scimGroups.list(actorOf(request), portion, wantsMembers(request.query))
    const shown = resources.map((one) => projected(one, request.query))
    return send(reply, listOf(shown, count, portion.offset + 1))
  })
  scim.post('/Groups', large, async (request, reply) => {
    const group = await scimGroups.create(actorOf(request), request.body)
    return send(reply.header('location', (group.meta as { location: string }).location), group, 201)
  })
  scim.get('/Groups/:id', async (request: Asked, reply) => {
    const group = await scimGroups.get(actorOf(request), request.params.id, wantsMembers(request.query))
    return send(reply, projected(group, request.query))
  })
  scim.put('/Groups/:id', large, async (request: Asked, reply) =>
    send(reply, await scimGroups.replace(actorOf(request), request.params.id, request.body)),
  )
  scim.patch('/Groups/:id', large, async (request: Asked, reply) => {
    // Without the members, of which there may be thousands: RFC 7644 allows an empty answer.
    await scimGroups.patch(actorOf(request), request.params.id, request.body)
    return reply.code(204).send()
  })
  scim.delete('/Groups/:id', async (request: Asked, reply) => {
    await scimGroups.remove(actorOf(request), request.params.id)
    return reply.code(204).send()
  })
}
