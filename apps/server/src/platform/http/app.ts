import { errors } from '@app/contract'
import { errorReply, Failure, fail } from './failure.ts'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { troubleOf } from '../db/trouble.ts'
import { securityHeaders, type StrictTransport } from './headers.ts'
import { answerMalformed } from './malformed.ts'
import { logOf, requestIdOf } from './request-id.ts'
import { type RouteDependencies, serveRoutes } from './routes.ts'

export interface HttpOptions extends RouteDependencies {
  log: FastifyBaseLogger
  /** Did a request come through a reverse proxy that is believed? It may bring its id then. */
  viaProxy: (request: IncomingMessage) => boolean
  /** Browsers are told to come by HTTPS alone from now on. */
  strictTransport: StrictTransport
  /** Makes the listening server around Fastify's request listener: the proxy decides by Host what reaches it. */
  listener: (console: RequestListener) => Server
}

/** Faults of the HTTP layer and the database, in the catalogue's words; undefined for what nobody foresaw. */
export function asFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  const code = (error as { code?: string }).code ?? ''
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fail('too_large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return fail('invalid_request', 'Send JSON', { status: 415 })
  // PostgreSQL keeps no NUL, wherever in the input it was.
  if (code === '22021') return fail('invalid_request', 'Text must not contain NUL characters')
  if (code.startsWith('FST_ERR_CTP') || (error as { statusCode?: number }).statusCode === 400) {
    return fail('invalid_request', 'The body is not valid JSON')
  }
  const trouble = troubleOf(error)
  if (trouble === 'full') return fail('disk_full')
  if (trouble === undefined) return undefined
  const readOnly = 'The database of the platform is read-only at the moment, so nothing was saved'
  if (trouble === 'read-only') return fail('database_unavailable', readOnly, { retryAfter: 10 })
  return fail('database_unavailable', undefined, { retryAfter: 2 })
}

/** Addresses that answer with facts of the moment, unlike files. */
const isAnswer = /^\/(?:api|account|ee)\//

/** The console's HTTP side: every contract route, and errors in one envelope. */
export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const headers = securityHeaders(options)
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    bodyLimit: 65_536,
    // A logger for each request would cost more than any other step before the routes, and few requests write to the log.
    childLoggerFactory: (log) => log,
    genReqId: (request) => requestIdOf(request, options.viaProxy),
    serverFactory: (handler) => options.listener(handler),
    forceCloseConnections: true,
    clientErrorHandler: answerMalformed,
    // Addresses that no route can have: neither hooks nor the error handler see these.
    frameworkErrors(error, _request, reply: FastifyReply) {
      const malformed = error.code === 'FST_ERR_BAD_URL'
      const failure = malformed ? fail('invalid_request', 'The address is not valid') : fail('not_found')
      void reply.code(failure.status).headers(headers).send(errorReply(failure))
    },
  })
  await app.register(cookie)
  await app.register(formbody, { bodyLimit: 16_384 })

  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    if (isAnswer.test(request.url)) reply.header('cache-control', 'no-store')
    done()
  })
  app.setErrorHandler(async (error, request, reply) => {
    const failure = asFailure(error)
    if (failure?.code === 'disk_full') options.disk.sawFull()
    if (failure && failure !== error) logOf(request).warn({ err: error, route: request.routeOptions.url }, 'refused')
    if (failure?.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
    if (failure) return reply.code(failure.status).send(errorReply(failure))
    logOf(request).error({ err: error, route: request.routeOptions.url }, 'request failed')
    const where = `The log of the server has it under the request id ${request.id}`
    return reply.code(500).send(errorReply(fail('unexpected_error', `${errors.unexpected_error.message}. ${where}`)))
  })
  serveRoutes(app, options)
  return app
}
