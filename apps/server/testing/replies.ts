import { type ErrorCode, ErrorReply, errors, type Route, type RouteId, routes } from '@app/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDeepStrictEqual } from 'node:util'

const byAddress = new Map(
  (Object.entries(routes) as [RouteId, Route][]).map(([id, route]) => [`${route.method} ${route.path}`, { id, route }]),
)

/** Refusals every call may answer with (docs/specification/errors.md). */
const general: readonly ErrorCode[] = [
  'unauthorized',
  'not_found',
  'invalid_request',
  'too_large',
  // To who guesses at the tokens of devices, whatever they call.
  'too_many_requests',
  'cross_origin',
  'unexpected_error',
  'disk_full',
  'database_unavailable',
  'instances_unavailable',
]

/** Texts that must never reach a caller: places in the sources, folders of the machine, SQL. */
const leak =
  /\bat .+:\d+:\d+|\/(work|tmp|home|root|usr)\/|node_modules|sqlite|constraint|\b(select|insert|update|delete)\b.+\b(from|into|set)\b/i

function faultOfRefusal(
  id: RouteId | undefined,
  allowed: readonly string[],
  reply: FastifyReply,
  value: unknown,
): string | undefined {
  if (id?.startsWith('editorAuth.') && typeof (value as { description?: unknown }).description === 'string')
    return undefined
  const parsed = ErrorReply.safeParse(value)
  if (!parsed.success || !isDeepStrictEqual(parsed.data, value))
    return 'the refusal is not the envelope of the contract'
  const { code, error, message, statusCode } = parsed.data
  const known = errors[code as ErrorCode] as (typeof errors)[ErrorCode] | undefined
  if (!known) return `the contract has no code ${code}`
  if (id && !allowed.includes(code)) return `the contract does not say that it may answer ${code}`
  if (!(known.status as readonly number[]).includes(reply.statusCode))
    return `${code} never comes with ${reply.statusCode}`
  if (statusCode !== reply.statusCode || error !== message || message === '') return 'the envelope contradicts itself'
  if (leak.test(JSON.stringify(value))) return 'the refusal tells what is inside the server'
  if (message.startsWith(errors.unexpected_error.message))
    return 'an exception that nobody expected; FORGE_TEST_LOG=error shows it'
  return undefined
}

function faultOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): string | undefined {
  const found = byAddress.get(`${request.method} ${request.routeOptions.url}`)
  const text = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.toString() : ''
  const json = String(reply.getHeader('content-type') ?? '').startsWith('application/json')
  // To the agent of a device 409 is no refusal, but the news of what it shall be.
  const isNews = found?.id === 'deviceLink.report' && reply.statusCode === 409
  // Programs that watch the platform read these, and no client.
  const isProbe = request.routeOptions.url?.startsWith('/readyz')
  if (reply.statusCode >= 400 && !isNews && !isProbe) {
    // Where a sign-in to an editor ends badly, a person reads the answer.
    if (!json && found?.id.startsWith('editorAuth.'))
      return leak.test(text) ? 'the refusal tells what is inside the server' : undefined
    // A person navigates to this one, and reads its refusal as it is.
    if (!json) return found && found.id !== 'editorAuth.complete' ? 'the refusal is not JSON' : undefined
    return faultOfRefusal(found?.id, [...general, ...(found?.route.errors ?? [])], reply, JSON.parse(text))
  }
  if (!found) return undefined
  // Numbers for a program, which asked for them.
  if (String(reply.getHeader('content-type')).startsWith('application/openmetrics-text')) return undefined
  const { reply: schema } = found.route
  if (!schema) return text === '' ? undefined : 'the contract says that it answers nothing'
  // Text, where the contract has text.
  if (!json) return schema.safeParse(text).success ? undefined : 'the answer is not JSON'
  const value = JSON.parse(text) as unknown
  const parsed = schema.safeParse(value)
  if (!parsed.success) return `the answer breaks the contract: ${JSON.stringify(parsed.error.issues)}`
  return isDeepStrictEqual(parsed.data, value) ? undefined : 'the answer has fields that the contract lacks'
}

/** Holds every answer against the contract, refusals too. */
export function checkReplies() {
  const faults: string[] = []
  return {
    /** The faults so far, one sentence each. A test that provokes a fault takes it out. */
    faults,
    watch(app: FastifyInstance) {
      app.addHook('onSend', async (request, reply, payload) => {
        const fault = faultOf(request, reply, payload)
        if (fault) faults.push(`${request.method} ${request.url} answered ${reply.statusCode}: ${fault}`)
      })
    },
  }
}
