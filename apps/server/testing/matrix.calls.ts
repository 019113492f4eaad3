import type { RouteId } from '@app/contract'
import { password } from './build.ts'
import { deviceCalls } from './matrix.devices.ts'
import { factorCalls } from './matrix.factors.ts'
import { ssoCalls, ssoOidcCalls, ssoRulesCalls } from './matrix.sso.ts'
import type { ActingCaller, World } from './matrix.world.ts'

interface Input {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** Instead of the caller's own, for calls that would end the session. */
  headers?: Record<string, string>
}

/** One call of the matrix. */
export interface MatrixCall {
  /** The statuses of an allowed call; 200 unless told. */
  allowed?: readonly number[]
  /**
   * The input that names the call's target. Where the call is to be `allowed`, the object it destroys is made for
   * this caller alone.
   */
  input(world: World, caller: ActingCaller, allowed: boolean): Input | Promise<Input>
}

const nothing: MatrixCall = { input: () => ({}) }
const onTeam: MatrixCall = { input: ({ team }) => ({ params: { teamId: team.id } }) }
const onApplication: MatrixCall = { input: ({ application }) => ({ params: { applicationId: application.id } }) }
const onInstance: MatrixCall = { input: ({ instance }) => ({ params: { instanceId: instance.id } }) }
/** A caller who gets through learns that there is no such snapshot. */
const onDraft: MatrixCall = {
  allowed: [400],
  input: ({ instance }) => ({ params: { instanceId: instance.id }, body: { snapshot: 'none' } }),
}
const onVersion: MatrixCall = { input: ({ instance }) => ({ params: { instanceId: instance.id, versionId: 'none' } }) }
/** A caller who gets through learns that nothing of this id was deleted. */
const onDeleted: MatrixCall = {
  input: ({ team }) => ({ params: { teamId: team.id, instanceId: 'none' }, body: {} }),
}
const onFreshInstance: MatrixCall = {
  input: async (world, _caller, allowed) => ({
    params: { instanceId: (allowed ? await world.freshInstance() : world.instance).id },
  }),
}
async function ofPipeline(world: World) {
  const { applicationId, pipelineId } = await world.freshPipeline()
  return { applicationId, pipelineId }
}
async function ofStage(world: World) {
  const { pipelineId, stageId } = await world.freshPipeline()
  return { pipelineId, stageId }
}
async function ofApplicationMember(world: World) {
  const { id: userId } = await world.freshApplicationMember()
  return { teamId: world.team.id, applicationId: world.application.id, userId }
}
const onStage: MatrixCall = { input: async (world) => ({ params: await ofStage(world) }) }
const onSnapshot: MatrixCall = {
  input: async (world) => ({ params: { instanceId: world.instance.id, snapshotId: await world.freshSnapshot() } }),
}
/** A further session of the caller, for calls that end the session with which they are made. */
async function onceMore(world: World, { userId, token }: ActingCaller): Promise<Input> {
  return userId && !token ? { headers: { cookie: (await world.freshSession(userId)).cookie } } : {}
}
/** For calls that end what the caller needs for the next one: where they are allowed, somebody else makes them. */
const onceForAll: MatrixCall = {
  input: async (world, _caller, allowed) => (allowed ? { headers: { cookie: (await world.freshUser()).cookie } } : {}),
}
/** Made for the caller; for who is no person, one that is somebody else's. */
const onInvitation: MatrixCall = {
  input: async (world, { userId }) => ({
    params: { invitationId: await world.freshInvitation(world.otherTeam, userId ?? (await world.freshUser()).id) },
  }),
}
/** A redirect; dashboard users are told that their role is too low. */
const onRequest: MatrixCall = {
  allowed: [302, 400],
  input: async (world, { headers }) => {
    const { id, browser } = await world.freshRequest()
    return { params: { requestId: id }, headers: { ...headers, cookie: `${browser}; ${headers.cookie ?? ''}` } }
  },
}
const onNoBackup: MatrixCall = {
  allowed: [404],
  input: () => ({ params: { name: 'flowforge-20260101-000000-none.backup' } }),
}
const onNoJob: MatrixCall = { allowed: [404], input: () => ({ params: { jobId: 'none' } }) }
const stored = (body?: unknown): MatrixCall => ({
  input: ({ instance }) => ({
    params: { instanceId: instance.id, kind: 'settings' },
    ...(body === undefined ? {} : { body }),
  }),
})

const shared = (team: { id: string }, name: string) => ({
  params: { teamId: team.id, '*': name },
  body: { type: 'flows' as const, body: [] },
})

/** One call of every route. What a route needs to succeed stands here, so a new route fails until it has an entry. */
export const matrixCalls: Record<RouteId, MatrixCall> = {
  'setup.complete': {
    // Nobody has the link of a platform that is claimed.
    allowed: [403],
    input: () => ({ body: { token: 'no', username: 'mallory', email: 'm@example.com', password } }),
  },
  'setup.restoreStatus': { allowed: [403], input: () => ({}) },
  'setup.upload': { allowed: [403], input: () => ({}) },
  'setup.restore': { allowed: [403], input: () => ({ body: { token: 'no', passphrase: 'no' } }) },
  'settings.get': nothing,
  'settings.update': { input: () => ({ body: { 'user:mfa-required': false } }) },
  ...factorCalls,
  ...ssoCalls,
  ...ssoOidcCalls,
  ...ssoRulesCalls,
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
  // Mail is not configured here, so what needs it says so to whoever gets through.
  'account.register': {
    allowed: [400],
    input: (world) => ({ body: { username: world.unused(), email: 'm@example.com', password } }),
  },
  'account.verifyToken': { allowed: [400], input: () => ({ params: { token: 'no' } }) },
  'account.forgotPassword': { allowed: [400], input: () => ({ body: { email: 'm@example.com' } }) },
  'account.resetPassword': { allowed: [400], input: () => ({ params: { token: 'no' }, body: { password } }) },
  'account.emailChange': { allowed: [400], input: () => ({ body: { email: 'm@example.com' } }) },
  'account.cancelEmailChange': nothing,
  'account.confirmEmailChange': { allowed: [400], input: () => ({ params: { token: 'no' } }) },
  'account.delete': onceForAll,
  'account.sessions': nothing,
  'account.endOtherSessions': onceForAll,
  'account.endSession': {
    input: async (world, { userId }) => ({
      params: { sessionId: userId ? (await world.freshSession(userId)).id : 'none' },
    }),
  },
  'account.accessRequest': { ...onRequest, allowed: [200] },
  'runtime.checkToken': { allowed: [401], input: () => ({ params: { ownerType: 'project', ownerId: 'nobody' } }) },
  'billing.get': onTeam,
  // The team of the matrix pays already.
  'billing.checkout': { ...onTeam, allowed: [409] },
  'billing.portal': { ...onTeam, allowed: [302] },
  'billing.callback': { allowed: [400], input: () => ({ body: {} }) },
  'comms.client': {
    allowed: [401],
    input: () => ({ body: { clientid: 'device:t:d', username: 'device:t:d', password: 'wrong' } }),
  },
  'comms.acl': {
    allowed: [401],
    input: () => ({ body: { clientid: 'device:t:d', username: 'device:t:d', topic: 'ff/v1/t/d/d/status', acc: 2 } }),
  },
  'editorAuth.authorize': { allowed: [400], input: () => ({ query: { client_id: 'unknown' } }) },
  'editorAuth.complete': onRequest,
  'editorAuth.reject': onRequest,
  'editorAuth.token': { allowed: [400], input: () => ({ body: { grant_type: 'authorization_code' } }) },
  'team.mine': nothing,
  'team.types': nothing,
  'team.list': nothing,
  'team.create': { input: (world) => ({ body: { name: world.unused(), type: world.teamType } }) },
  'team.checkSlug': { input: (world) => ({ body: { slug: world.unused() } }) },
  'team.get': onTeam,
  'team.getBySlug': { input: ({ team }) => ({ params: { teamSlug: team.slug } }) },
  'team.update': { input: ({ team }) => ({ params: { teamId: team.id }, body: { name: 'Renamed' } }) },
  // It has applications.
  'team.delete': { ...onTeam, allowed: [400] },
  'team.changeType': {
    input: ({ team, teamType }) => ({ params: { teamId: team.id }, body: { type: teamType } }),
  },
  'teamType.quotas': onTeam,
  'teamType.get': { input: ({ teamType }) => ({ params: { teamTypeId: teamType } }) },
  'teamType.create': { input: (world) => ({ body: { name: world.unused() } }) },
  'teamType.update': {
    input: ({ teamType }) => ({ params: { teamTypeId: teamType }, body: { description: 'Another' } }),
  },
  'teamType.preview': { input: ({ teamType }) => ({ params: { teamTypeId: teamType }, body: {} }) },
  // Teams have it.
  'teamType.delete': { allowed: [400], input: ({ teamType }) => ({ params: { teamTypeId: teamType } }) },
  'team.role': onTeam,
  'team.members': onTeam,
  'team.changeRole': {
    input: async (world) => ({
      params: { teamId: world.team.id, userId: (await world.freshMember()).id },
      body: { role: 10 },
    }),
  },
  'team.removeMember': {
    input: async (world) => ({ params: { teamId: world.team.id, userId: (await world.freshMember()).id } }),
  },
  'team.auditLog': onTeam,
  'team.exportAuditLog': { input: ({ team }) => ({ params: { teamId: team.id }, query: { format: 'csv' } }) },
  'auditLog.list': nothing,
  'auditLog.export': { input: () => ({ query: { format: 'csv' } }) },
  'auditLog.integrity': nothing,
  'auditLog.verify': nothing,
  'licence.get': nothing,
  // No licence is at hand: whoever may is told that this is none.
  'licence.update': { allowed: [400], input: () => ({ body: { license: 'x', action: 'inspect' } }) },
  'licence.updateByPost': { allowed: [400], input: () => ({ body: { license: 'x', action: 'inspect' } }) },
  'admin.stats': nothing,
  'stats.history': nothing,
  'stats.createToken': nothing,
  'stats.deleteToken': nothing,
  'scim.tokens': nothing,
  'scim.createToken': { input: (world) => ({ body: { name: world.unused(), directory: 'Example', expiresAt: null } }) },
  // There is none: whoever may is told so.
  'scim.deleteToken': { allowed: [404], input: () => ({ params: { tokenId: 'none' } }) },
  'scim.groups': nothing,
  'invitation.mine': nothing,
  'invitation.accept': onInvitation,
  'invitation.reject': onInvitation,
  'invitation.listOfTeam': onTeam,
  'invitation.create': {
    input: async (world) => ({
      params: { teamId: world.team.id },
      body: { user: (await world.freshUser()).username },
    }),
  },
  'invitation.withdraw': {
    input: async (world) => ({
      params: {
        teamId: world.team.id,
        invitationId: await world.freshInvitation(world.team, (await world.freshUser()).id),
      },
    }),
  },
  // Mail is not configured here.
  'invitation.resend': {
    ...onTeam,
    allowed: [400],
    input: ({ team }) => ({ params: { teamId: team.id, invitationId: 'none' } }),
  },
  'invitation.createLink': { input: ({ team }) => ({ params: { teamId: team.id }, body: {} }) },
  'invitation.readLink': { allowed: [404], input: () => ({ body: { code: 'none' } }) },
  'invitation.acceptLink': { allowed: [404], input: () => ({ body: { code: 'none' } }) },
  'invitation.list': nothing,
  'user.list': nothing,
  'user.create': {
    input: (world) => {
      const username = world.unused()
      return { body: { username, email: `${username}@example.com`, password } }
    },
  },
  'user.get': { input: async (world) => ({ params: { userId: (await world.freshUser()).id } }) },
  'user.teams': { input: async (world) => ({ params: { userId: (await world.freshUser()).id } }) },
  'user.delete': { input: async (world) => ({ params: { userId: (await world.freshUser()).id } }) },
  'user.update': {
    input: async (world) => ({ params: { userId: (await world.freshUser()).id }, body: { suspended: true } }),
  },
  'user.endSessions': { input: async (world) => ({ params: { userId: (await world.freshUser()).id } }) },
  'user.makeLink': {
    input: async (world) => ({
      params: { userId: (await world.freshUser()).id },
      body: { purpose: 'reset-password' },
    }),
  },
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
  'applicationMember.list': onTeam,
  'applicationMember.add': {
    input: async (world) => ({
      params: { teamId: world.team.id, applicationId: world.application.id },
      body: { user: (await world.freshMember()).id, role: 30 },
    }),
  },
  'applicationMember.changeRole': {
    input: async (world) => ({ params: await ofApplicationMember(world), body: { role: 10 } }),
  },
  'applicationMember.remove': { input: async (world) => ({ params: await ofApplicationMember(world) }) },
  'pipeline.list': onApplication,
  'pipeline.create': {
    input: ({ application }) => ({ params: { applicationId: application.id }, body: { name: 'Another' } }),
  },
  'pipeline.update': { input: async (world) => ({ params: await ofPipeline(world), body: { name: 'Renamed' } }) },
  'pipeline.delete': { input: async (world) => ({ params: await ofPipeline(world) }) },
  'pipeline.addStage': {
    input: async (world) => {
      const { pipelineId } = await world.freshPipeline('alone')
      return { params: { pipelineId }, body: { name: 'Third', instanceId: world.sibling.id } }
    },
  },
  'pipeline.getStage': onStage,
  'pipeline.updateStage': { input: async (world) => ({ params: await ofStage(world), body: { name: 'Renamed' } }) },
  'pipeline.deleteStage': onStage,
  'pipeline.changes': onStage,
  'instanceType.list': nothing,
  'instanceType.get': { input: ({ choice }) => ({ params: { instanceTypeId: choice.projectType } }) },
  'stack.list': nothing,
  'stack.get': { input: ({ choice }) => ({ params: { stackId: choice.stack } }) },
  'template.list': nothing,
  'template.get': { input: ({ choice }) => ({ params: { templateId: choice.template } }) },
  'instanceType.create': { input: (world) => ({ body: { name: world.unused() } }) },
  'instanceType.update': {
    input: ({ choice }) => ({ params: { instanceTypeId: choice.projectType }, body: { description: 'Another' } }),
  },
  'instanceType.delete': {
    input: async (world, _caller, allowed) => ({
      params: { instanceTypeId: allowed ? await world.freshType() : world.choice.projectType },
    }),
  },
  'stack.create': {
    input: (world) => ({
      body: {
        name: world.unused(),
        projectType: world.choice.projectType,
        properties: { nodered: '5.0.7', memory: 256 },
      },
    }),
  },
  'stack.update': {
    input: ({ choice }) => ({ params: { stackId: choice.stack }, body: { label: 'Another' } }),
  },
  'stack.delete': {
    input: async (world, _caller, allowed) => ({
      params: { stackId: allowed ? await world.freshStack() : world.choice.stack },
    }),
  },
  'stack.prepare': { input: ({ choice }) => ({ params: { stackId: choice.stack } }) },
  'stack.jobs': { input: ({ choice }) => ({ params: { stackId: choice.stack } }) },
  'template.create': { input: (world) => ({ body: { name: world.unused() } }) },
  'template.update': {
    input: ({ choice }) => ({ params: { templateId: choice.template }, body: { description: 'Another' } }),
  },
  'template.delete': {
    input: async (world, _caller, allowed) => ({
      params: { templateId: allowed ? await world.freshTemplate() : world.choice.template },
    }),
  },
  'instance.listOfTeam': onTeam,
  'instance.openOfTeam': onTeam,
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
  'instance.move': {
    input: ({ instance, application }) => ({
      params: { instanceId: instance.id },
      body: { applicationId: application.id },
    }),
  },
  'instance.delete': onFreshInstance,
  'deleted.list': onTeam,
  'deleted.restore': { ...onDeleted, allowed: [404] },
  'deleted.remove': { ...onDeleted, allowed: [404] },
  'instance.start': onFreshInstance,
  'instance.stop': onFreshInstance,
  'instance.restart': onFreshInstance,
  'instance.suspend': onFreshInstance,
  'instance.restartStack': onFreshInstance,
  'instance.usage': onInstance,
  'instance.checkPaths': onInstance,
  'ha.get': onInstance,
  'ha.enable': {
    input: async (world, _caller, allowed) => ({
      params: { instanceId: (allowed ? await world.freshInstance() : world.instance).id },
      body: { replicas: 2 },
    }),
  },
  'ha.disable': onFreshInstance,
  'context.get': onInstance,
  'context.delete': onInstance,
  'metrics.instance': onInstance,
  'metrics.team': onTeam,
  'instance.jobs': onInstance,
  'instance.logs': onInstance,
  'instance.downloadLog': onInstance,
  'instance.node': {
    input: ({ instance }) => ({ params: { instanceId: instance.id, nodeId: 'none' } }),
    allowed: [404],
  },
  'instance.errors': onInstance,
  'instance.auditLog': onInstance,
  ...deviceCalls,
  'snapshot.list': onInstance,
  'snapshot.create': {
    input: ({ instance }) => ({ params: { instanceId: instance.id }, body: { name: 'Matrix' } }),
  },
  'snapshot.get': onSnapshot,
  'snapshot.flows': onSnapshot,
  'snapshot.changes': onSnapshot,
  'snapshot.delete': onSnapshot,
  'deployment.list': onInstance,
  'deployment.get': {
    allowed: [404],
    input: ({ instance }) => ({ params: { instanceId: instance.id, deploymentId: 'none' } }),
  },
  'deployment.preview': onDraft,
  'deployment.check': onDraft,
  'deployment.rollback': {
    input: async (world, _caller, allowed) => {
      const { id } = allowed ? await world.freshInstance() : world.instance
      return { params: { instanceId: id }, body: { snapshot: await world.freshSnapshot(id) } }
    },
  },
  'version.list': onInstance,
  'history.list': onInstance,
  'history.changes': {
    allowed: [404],
    input: ({ instance }) => ({ params: { instanceId: instance.id }, query: { to: 'version:none' } }),
  },
  'version.flows': { ...onVersion, allowed: [404] },
  'version.changes': { ...onVersion, allowed: [404] },
  'version.restore': { ...onVersion, allowed: [404] },
  'runtime.editor': onInstance,
  'runtime.editors': {
    input: ({ instance }) => ({ params: { instanceId: instance.id }, body: { startedAt: 1, users: [] } }),
  },
  'runtime.settings': onInstance,
  'runtime.updateState': {
    input: ({ instance }) => ({ params: { instanceId: instance.id }, body: { state: 'running' } }),
  },
  'runtime.audit': { input: ({ instance }) => ({ params: { instanceId: instance.id }, body: { event: 'flows.set' } }) },
  'runtime.flows': onInstance,
  'runtime.saveFlows': { input: ({ instance }) => ({ params: { instanceId: instance.id }, body: [] }) },
  'runtime.deploy': {
    input: ({ instance }) => ({
      params: { instanceId: instance.id },
      body: { basis: '0'.repeat(64), flows: [], refused: true },
    }),
  },
  'runtime.load': stored(),
  'runtime.save': stored({}),
  'library.get': { input: ({ team }) => ({ params: { teamId: team.id, '*': '' } }) },
  'library.save': { allowed: [201], input: ({ team }, { name }) => shared(team, name) },
  'library.delete': {
    input: async (world, { name }, allowed) => {
      const call = shared(world.team, `of ${name}`)
      if (allowed) await world.shareEntry(call)
      return { params: call.params }
    },
  },
  'instanceLibrary.get': { input: ({ instance }) => ({ params: { instanceId: instance.id, type: 'flows' } }) },
  'instanceLibrary.save': {
    allowed: [201],
    input: ({ instance }) => ({ params: { instanceId: instance.id, type: 'flows' }, body: { name: 'a', body: [] } }),
  },
  'events.stream': nothing,
  'backup.list': nothing,
  // One at a time.
  'backup.create': { allowed: [200, 409], input: () => ({ body: { passphrase: 'a long passphrase' } }) },
  'backup.download': onNoBackup,
  'backup.delete': onNoBackup,
  'health.get': nothing,
  'health.check': nothing,
  'debug.migrations': nothing,
  'debug.schema': nothing,
  'job.list': nothing,
  'job.retry': onNoJob,
  'job.cancel': onNoJob,
}
