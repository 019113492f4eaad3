import type { RouteId } from '@app/contract'
import { password } from './build.ts'
import type { ActingCaller, World } from './matrix.world.ts'

interface Input {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** Instead of the caller's own, for calls that would end the session. */
  headers?: Record<string, string>
}

/** How the matrix makes one call. */
export interface MatrixCall {
  /** The statuses of an allowed call; 200 unless told. */
  allowed?: readonly number[]
  /** What the call names. Where the call is to be `allowed`, what it destroys is made for this caller alone. */
  input(world: World, caller: ActingCaller, allowed: boolean): Input | Promise<Input>
}

const nothing: MatrixCall = { input: () => ({}) }
const onTeam: MatrixCall = { input: ({ team }) => ({ params: { teamId: team.id } }) }
const onApplication: MatrixCall = { input: ({ application }) => ({ params: { applicationId: application.id } }) }
const onInstance: MatrixCall = { input: ({ instance }) => ({ params: { instanceId: instance.id } }) }
const onFreshInstance: MatrixCall = {
  input: async (world, _caller, allowed) => ({
    params: { instanceId: (allowed ? await world.freshInstance() : world.instance).id },
  }),
}
/** A further session of the caller, for calls that end the session with which they are made. */
async function onceMore(world: World, { userId, token }: ActingCaller): Promise<Input> {
  return userId && !token ? { headers: { cookie: (await world.freshSession(userId)).cookie } } : {}
}
/** A redirect; dashboard users are told that their role is too low. */
const onRequest: MatrixCall = {
  allowed: [302, 400],
  input: async (world) => ({ params: { requestId: await world.freshRequest() } }),
}
const stored = (body?: unknown): MatrixCall => ({
  input: ({ instance }) => ({
    params: { instanceId: instance.id, kind: 'settings' },
    ...(body === undefined ? {} : { body }),
  }),
})

/** One call of every route. What a route needs to succeed stands here, so a new route fails until it has an entry. */
export const matrixCalls: Record<RouteId, MatrixCall> = {
  'setup.complete': {
    // Nobody has the link of a platform that is claimed.
    allowed: [403],
    input: () => ({ body: { token: 'no', username: 'mallory', email: 'm@example.com', password } }),
  },
  'settings.get': nothing,
  'account.login': {
    input: async (world, caller) => ({
      ...(await onceMore(world, caller)),
      body: { username: (await world.freshUser()).username, password },
    }),
  },
  'account.logout': { input: onceMore },
  'account.verify': { allowed: [400], input: () => ({}) },
  'account.get': nothing,
  'account.update': { input: () => ({ body: { name: 'Somebody' } }) },
  'account.changePassword': {
    // A new password would unlock the session that a gate locks. The guess at the old one shows who got through.
    allowed: [400],
    input: () => ({ body: { old_password: 'wrong', password } }),
  },
  'account.sessions': nothing,
  'account.endSession': {
    input: async (world, { userId }) => ({
      params: { sessionId: userId ? (await world.freshSession(userId)).id : 'none' },
    }),
  },
  'account.accessRequest': { input: async (world) => ({ params: { requestId: await world.freshRequest() } }) },
  'oauth.authorize': { allowed: [400], input: () => ({ query: { client_id: 'unknown' } }) },
  'oauth.complete': onRequest,
  'oauth.reject': onRequest,
  'oauth.token': { allowed: [400], input: () => ({ body: { grant_type: 'authorization_code' } }) },
  'team.mine': nothing,
  'team.types': nothing,
  'team.create': { input: (world) => ({ body: { name: world.unused(), type: world.teamType } }) },
  'team.checkSlug': { input: (world) => ({ body: { slug: world.unused() } }) },
  'team.get': onTeam,
  'team.getBySlug': { input: ({ team }) => ({ params: { teamSlug: team.slug } }) },
  'team.update': { input: ({ team }) => ({ params: { teamId: team.id }, body: { name: 'Renamed' } }) },
  'team.role': onTeam,
  'team.members': onTeam,
  'team.auditLog': onTeam,
  'application.listOfTeam': onTeam,
  'application.statusOfTeam': onTeam,
  'application.create': { input: ({ team }) => ({ body: { name: 'Another', teamId: team.id } }) },
  'application.get': onApplication,
  'application.update': {
    input: ({ application }) => ({ params: { applicationId: application.id }, body: { name: 'Renamed' } }),
  },
  'application.delete': {
    input: async (world, _caller, allowed) => ({
      params: { applicationId: (allowed ? await world.freshApplication() : world.application).id },
    }),
  },
  'application.instances': onApplication,
  'application.status': onApplication,
  'instanceType.list': nothing,
  'instanceType.get': { input: ({ choice }) => ({ params: { instanceTypeId: choice.projectType } }) },
  'stack.list': nothing,
  'stack.get': { input: ({ choice }) => ({ params: { stackId: choice.stack } }) },
  'template.list': nothing,
  'template.get': { input: ({ choice }) => ({ params: { templateId: choice.template } }) },
  'instance.listOfTeam': onTeam,
  'instance.create': {
    input: (world) => ({ body: { name: world.unused(), applicationId: world.application.id, ...world.choice } }),
  },
  'instance.get': onInstance,
  'instance.update': {
    input: ({ instance }) => ({
      params: { instanceId: instance.id },
      body: { settings: { env: [] } },
    }),
  },
  'instance.import': {
    input: async (...given) => ({ ...(await onFreshInstance.input(...given)), body: { flows: '[]' } }),
  },
  'instance.delete': onFreshInstance,
  'instance.start': onFreshInstance,
  'instance.stop': onFreshInstance,
  'instance.restart': onFreshInstance,
  'instance.suspend': onFreshInstance,
  'instance.usage': onInstance,
  'instance.jobs': onInstance,
  'instance.logs': onInstance,
  'instance.auditLog': onInstance,
  'runtime.settings': onInstance,
  'runtime.audit': { input: ({ instance }) => ({ params: { instanceId: instance.id }, body: { event: 'flows.set' } }) },
  'runtime.flows': onInstance,
  'runtime.saveFlows': { input: ({ instance }) => ({ params: { instanceId: instance.id }, body: [] }) },
  'runtime.load': stored(),
  'runtime.save': stored({}),
  'events.stream': nothing,
}
