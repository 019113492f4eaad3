import {
  type Access,
  type Route,
  type RouteId,
  routes,
  type Switch,
  switches,
  switchSettings,
  type Switches,
} from '@app/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authorize, type LoadedTarget, type Rules } from '../authz/authorize.ts'
import type { Callers } from '../authz/callers.ts'
import { reachOf } from '../authz/reach.ts'
import type { LoadedKind, LoadsTarget } from '../features/feature.ts'
import type { Actor } from '../authz/actor.ts'
import { fail } from './failure.ts'
import type { Disk } from '../disk.ts'
import { isOwnOrigin } from './origin.ts'
import { replyWriter } from './reply.ts'
import { parse } from './schema.ts'

type AnyHandler = (
  context: Record<string, unknown>,
  input: { params: unknown; query: unknown; body: unknown },
) => Promise<unknown>

export interface RouteDependencies {
  handlers: Record<RouteId, unknown>
  authenticate(request: FastifyRequest): Promise<Actor>
  targets: Record<LoadedKind, LoadsTarget>
  rules: Rules
  switches: Switches
  /** Why a team does not have what stands behind a switch; undefined when it does. */
  teamLacks(teamId: string, name: Switch): Promise<string | undefined>
  consoleOrigin: string
  disk: Pick<Disk, 'isFull' | 'sawFull' | 'makeRoom'>
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
    /** The input of a handler: the target as its feature loaded it, and the caller's role there. */
    target: Record<string, unknown>
    /** The same as it was judged. */
    loaded: LoadedTarget | undefined
  }
}

type Behind = NonNullable<Route['switch']>
type ScopedRoute = Route & { access: { kind: 'scope' } }
const isScoped = (route: Route): route is ScopedRoute => route.access.kind === 'scope'

/** Judges who calls, before what the call is about is known. @throws Failure */
function checkCaller(request: FastifyRequest, access: Access, callers: Callers): void {
  const { actor } = request
  const keys = request.params as Record<string, string | undefined>
  if (access.kind === 'public') return
  if (access.kind === 'program') {
    const admitted = callers[access.program]?.admit
    if (!admitted) throw fail('unauthorized')
    admitted(actor, keys, request)
    return
  }
  if (actor.kind === 'anonymous') throw fail('unauthorized')
  if (actor.kind === 'user' && actor.locked && !access.whileLocked) throw fail('unauthorized')
  const needsUser = access.kind === 'user' || access.target === 'self'
  // A token carries scopes, and a call without one is for the browser alone, unless everybody may know the answer;
  // one for a single target carries none beyond its own.
  const token = actor.kind === 'user' && 'token' in actor.via ? actor.via : undefined
  const byToken = access.kind === 'user' && token !== undefined && (!access.byToken || token.targetId !== undefined)
  const inBrowser = access.kind === 'scope' && access.inBrowser === true && token !== undefined
  if (byToken || inBrowser || (needsUser && actor.kind !== 'user'))
    throw fail('unauthorized', undefined, { status: 403 })
}

/** The target that a program need not name in the body of its call. */
function namedBy(actor: Actor, { rules }: RouteDependencies): Record<string, string> {
  if (actor.kind === 'anonymous' || actor.kind === 'user' || actor.kind === 'system') return {}
  return rules.callers[actor.kind]?.names?.(actor) ?? {}
}

async function admit(
  request: FastifyRequest,
  { access, switch: behind }: ScopedRoute,
  keys: Record<string, string | undefined>,
  deps: RouteDependencies,
) {
  const { actor } = request
  const { target } = access
  const userId = actor.kind === 'user' ? actor.userId : undefined
  // Callers without a user are members of nothing.
  const found =
    target === 'platform' || target === 'self' ? undefined : await deps.targets[target].load(keys, userId ?? '')
  const own = userId !== undefined && keys.userId === userId
  const loaded = found ? { ...found, own } : access.own && own ? { teamId: '', role: undefined, own } : undefined
  const role = await authorize(actor, access.scope, target, loaded, deps.rules, access.reach)
  request.target = { ...loaded, role, ...(access.reach && { reach: reachOf(actor, role) }) }
  request.loaded = loaded
  if (behind && loaded) await checkTeamSwitch(behind, loaded, deps)
}

/** Judges a body that reaches beyond what the first scope allows. */
async function admitWider(request: FastifyRequest, { access }: ScopedRoute, deps: RouteDependencies) {
  if (!access.wider || access.wider.unless.safeParse(request.body).success) return
  await authorize(request.actor, access.wider.scope, access.target, request.loaded, deps.rules)
}

/** On a full disk only what makes room is written, and gets some of the reserve. @throws Failure disk_full */
function checkDisk({ method, whenDiskIsFull }: Route, disk: RouteDependencies['disk']): void {
  if (reads.has(method) || !disk.isFull()) return
  if (method !== 'DELETE' && !whenDiskIsFull) throw fail('disk_full')
  disk.makeRoom()
}

/** @throws Failure, as the route says, while the operator, or an administrator, has what it belongs to switched off. */
async function checkSwitch(behind: Behind, { switches: on, rules }: RouteDependencies): Promise<void> {
  const refuse = (off: Switch | undefined) => {
    if (off) throw fail(behind.refusal, switches[off])
  }
  refuse(behind.names.find((name) => !on[name]))
  const asked = behind.names.filter((name) => name in switchSettings) as (keyof typeof switchSettings)[]
  const answers = await Promise.all(asked.map(async (name) => rules.setting(switchSettings[name])))
  refuse(asked[answers.indexOf(false)])
}

/** @throws Failure, as the route says, where the type of the team does not leave it what the route belongs to. */
async function checkTeamSwitch(behind: Behind, loaded: LoadedTarget, { teamLacks }: RouteDependencies): Promise<void> {
  for (const name of behind.names) {
    const sentence = await teamLacks(loaded.teamId, name)
    if (sentence !== undefined) throw fail(behind.refusal, sentence)
  }
}

/** @throws Failure cross_origin, where another site makes a browser call with its user's cookie. */
function checkOrigin({ headers }: FastifyRequest, { consoleOrigin }: RouteDependencies): void {
  // Any other scheme of authorization counts for nothing, so the cookie still speaks for its owner.
  const byCookie = !/^Bearer /i.test(headers.authorization ?? '')
  if (byCookie && !isOwnOrigin(headers, consoleOrigin)) throw fail('cross_origin')
}

const reads = new Set(['GET', 'HEAD'])
/** Node.js goes twice over a text that it sends. A longer one is made into bytes once. */
const longText = 4_096

/**
 * Serves every route of the contract: identity, origin, permission on the loaded target, then the parsed
 * input, the handler, and the reply as the contract shows it. Nothing is served that the contract lacks.
 */
export function serveRoutes(app: FastifyInstance, deps: RouteDependencies): void {
  app.decorateRequest('actor')
  app.decorateRequest('target')
  app.decorateRequest('loaded')
  for (const [id, definition] of Object.entries(routes) as [RouteId, Route][]) serveRoute(app, id, definition, deps)
}

function serveRoute(app: FastifyInstance, id: RouteId, definition: Route, deps: RouteDependencies): void {
  const handler = deps.handlers[id] as AnyHandler
  const { access, method } = definition
  const write = definition.reply && replyWriter(definition.reply)
  // The target stands in the path where it can; only creates name it in the body, which is then read first.
  const isTargetKnown =
    (access.kind === 'scope' && (access.target === 'platform' || access.target === 'self')) ||
    Object.values(deps.targets).some(({ keys }) => keys.some((key) => definition.path.includes(`:${key}`)))

  const serve = (url: string, on: FastifyInstance = app) =>
    on.route({
      method,
      url,
      ...(definition.bodyLimit ? { bodyLimit: definition.bodyLimit } : {}),
      async onRequest(request: FastifyRequest) {
        const keys = request.params as Record<string, string>
        checkDisk(definition, deps.disk)
        request.actor = await deps.authenticate(request)
        if (!reads.has(method) && !definition.crossOrigin) checkOrigin(request, deps)
        if (definition.switch) await checkSwitch(definition.switch, deps)
        checkCaller(request, access, deps.rules.callers)
        if (definition.params && !definition.params.safeParse(keys).success) throw fail('not_found')
        if (isScoped(definition) && isTargetKnown) await admit(request, definition, keys, deps)
      },
      async handler(request: FastifyRequest, reply: FastifyReply) {
        const params = definition.params ? parse(definition.params, request.params) : undefined
        const query = definition.query ? parse(definition.query, request.query) : undefined
        const body = definition.body ? parse(definition.body, request.body ?? {}, definition.errors) : undefined
        if (isScoped(definition)) {
          if (!isTargetKnown)
            await admit(request, definition, { ...namedBy(request.actor, deps), ...(body as object) }, deps)
          if (definition.access.wider) await admitWider(request, definition, deps)
        }
        const context = { ...request.target, actor: request.actor, request, reply }
        const result = await handler(context, { params, query, body })
        if (reply.sent || !write) return reply
        const text = write(result)
        reply.header('content-type', 'application/json; charset=utf-8')
        return reply.send(text.length > longText ? Buffer.from(text) : text)
      },
    })
  if (definition.upload) {
    // Alone here such a body is taken, and left to the handler unread.
    void app.register(async (own) => {
      own.addContentTypeParser('application/octet-stream', (_request, _stream, done) => done(null))
      serve(definition.path, own)
    })
    return
  }
  if (definition.raw) {
    void app.register(async (own) => {
      own.removeContentTypeParser('application/json')
      own.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      serve(definition.path, own)
    })
    return
  }
  serve(definition.path)
  // The rest of such a path may be empty, and then the slash before it is absent too.
  if (definition.path.endsWith('/*')) serve(definition.path.slice(0, -2))
}
