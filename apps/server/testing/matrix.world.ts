import { type ApplicationRole, limited, roles, type Scope, scopes, type TeamRole } from '@app/contract'
import { sql } from 'kysely'
import { clientWith, type TestUser, until } from './build.ts'
import type { Caller } from './matrix.oracle.ts'
import { type Answer, cookieOf, send } from './request.ts'
import type { TestServer } from './server.ts'

export interface ActingCaller extends Caller {
  /** The id under which the audit log knows a person. */
  userId?: string
  headers: Record<string, string>
  /** A limited member of the other application alone. */
  isElsewhere?: true
}

export type WholeWorld = Awaited<ReturnType<typeof createWorld>>
/** The world as a caller sees it. */
export type World = Omit<WholeWorld, 'seenBy' | 'hiddenFrom'>

const everyScope = Object.keys(scopes) as Scope[]
const personalScopes: readonly Scope[] = ['user:read', 'team:read', 'project:read', 'project:change-status']
const editorScopes: readonly Scope[] = ['user:read']

/** Goes through the checkout of the stand-in for a payment provider, until the team has its subscription. */
async function pay({ address, config }: TestServer, { client }: TestUser, teamId: string): Promise<void> {
  const params = { teamId }
  const { billingURL } = await client.call('billing.checkout', { params })
  const path = `/ee/billing/test/${new URL(billingURL).pathname.split('/').at(-1)}/complete`
  await send(address, 'POST', path, { headers: { origin: new URL(config.baseUrl).origin } })
  await until(() => client.call('billing.get', { params }).catch(() => undefined), Boolean)
}

/** A team with everything the calls name, and one caller of every kind. */
export async function createWorld(server: TestServer) {
  const { build, app, address } = server
  const { database, services } = app
  await build.setting('team:create', true)
  await build.setting('user:sso', true)
  await build.setting('team:application-roles', true)
  const { owner, team } = await build.platform()
  const application = await build.application(owner, team)
  const stranger = await build.user()
  const otherTeam = await build.team(stranger)
  // Teams that pay may do all that their roles say.
  for (const [payer, { id }] of [
    [owner, team],
    [stranger, otherTeam],
  ] as const)
    await pay(server, payer, id)
  let serial = 0

  async function instance(of: TestUser = owner, within: { id: string } = application) {
    const { id } = await build.instance(of, within, `matrix-${(serial += 1)}`)
    return until(
      () => of.client.call('instance.get', { params: { instanceId: id } }),
      (now) => now.meta.state === 'running',
    )
  }
  const named = await instance()
  const sibling = await instance()
  const foreign = await instance(stranger, await build.application(stranger, otherTeam))

  const elsewhere = await build.application(owner, team)
  const aside = await instance(owner, elsewhere)

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const session = ({ id, cookie }: TestUser) => ({ kind: 'user' as const, userId: id, headers: { cookie } })
  async function locked(change: { password_expired: 1 } | { email_verified: 0 }): Promise<TestUser> {
    const user = await build.member(team, roles.owner)
    await database.read.updateTable('users').set(change).where('id', '=', user.id).execute()
    return user
  }
  async function byInstance(instance: { id: string; team: { id: string } }) {
    return { kind: 'instance' as const, headers: bearer(await build.instanceToken(instance)) }
  }
  const personalToken = ({ client }: TestUser, carried: readonly Scope[]) =>
    client.call('tokens.create', { body: { name: 'Matrix', scopes: [...carried], expiresAt: null } })
  const tokenAdmin = await build.user({ admin: true })
  const tokenOwner = await build.member(team, roles.owner)
  const editorOf = async ({ id }: { id: string }) =>
    (await database.transact((tx) => services.tokens.forEditor(tx, tokenOwner.id, id, '*'))).access
  const suspended = await build.member(team, roles.owner)
  await database.read.updateTable('users').set({ suspended: 1 }).where('id', '=', suspended.id).execute()

  const device = async (by: TestUser, { id }: { id: string }) =>
    by.client.call('device.create', { body: { name: `Matrix ${(serial += 1)}`, type: 'Test', team: id } })
  const namedDevice = await device(owner, team)
  const byDevice = ({ credentials }: Awaited<ReturnType<typeof device>>) => ({
    kind: 'device' as const,
    headers: bearer(credentials.token),
  })

  const assigned = async ({ id: instance }: { id: string }) => {
    const made = await device(owner, team)
    await owner.client.call('device.update', { params: { deviceId: made.id }, body: { instance } })
    return made
  }
  const [assignedDevice, deviceAside] = [await assigned(named), await assigned(aside)]
  /** A member with a role in one application beside that in the team. */
  async function withRole(teamRole: TeamRole | typeof limited, of: typeof application, role: ApplicationRole) {
    const user = await build.member(team, teamRole)
    await build.applicationRole(of, user.id, role)
    return user
  }
  const contractor = await withRole(limited, application, roles.owner)

  const provisioning = async (by: TestUser, { id }: { id: string }) =>
    by.client.call('provisioning.create', { params: { teamId: id }, body: { name: 'Matrix' } })
  const byProvisioning = async (by: TestUser, of: { id: string }) => ({
    kind: 'provisioning' as const,
    headers: bearer((await provisioning(by, of)).token),
  })

  const callers: ActingCaller[] = [
    { name: 'anonymous', kind: 'anonymous', headers: {} },
    { name: 'a false session', kind: 'anonymous', headers: { cookie: `${services.sessionCookie.name}=ffs_no` } },
    { name: 'a false token', kind: 'anonymous', headers: bearer('fft_no') },
    { name: 'a suspended owner', ...session(suspended), kind: 'anonymous' },
    { name: 'none', ...session(await build.user()) },
    { name: 'dashboard', ...session(await build.member(team, roles.dashboard)), role: roles.dashboard },
    { name: 'viewer', ...session(await build.member(team, roles.viewer)), role: roles.viewer },
    { name: 'member', ...session(await build.member(team, roles.member)), role: roles.member },
    { name: 'owner', ...session(owner), role: roles.owner },
    { name: 'owner of another team', ...session(stranger) },
    {
      name: 'an owner whose password expired',
      ...session(await locked({ password_expired: 1 })),
      role: roles.owner,
      locked: true,
    },
    { name: 'an unverified owner', ...session(await locked({ email_verified: 0 })), role: roles.owner, locked: true },
    { name: 'a visiting administrator', ...session(await build.user({ admin: true })), admin: true },
    {
      name: 'the editor token of an owner',
      ...session(tokenOwner),
      headers: bearer(await editorOf(named)),
      role: roles.owner,
      token: editorScopes,
      editor: 'named',
    },
    {
      name: 'the editor token of an owner for another instance of the team',
      ...session(tokenOwner),
      headers: bearer(await editorOf(sibling)),
      role: roles.owner,
      token: editorScopes,
      editor: 'sibling',
    },
    {
      name: 'a personal token of an owner',
      ...session(tokenOwner),
      headers: bearer((await personalToken(tokenOwner, personalScopes)).token),
      role: roles.owner,
      token: personalScopes,
    },
    {
      name: 'a personal token of an administrator, with every scope',
      ...session(tokenAdmin),
      headers: bearer((await personalToken(tokenAdmin, everyScope)).token),
      token: everyScope,
    },
    { name: 'a limited owner of the application', ...session(contractor), role: limited, there: roles.owner },
    ...(await Promise.all(
      ([roles.viewer, roles.member] as const).map(async (there) => ({
        name: `a limited member of the application with the role ${there}`,
        ...session(await withRole(limited, application, there)),
        role: limited,
        there,
      })),
    )),
    {
      name: 'a limited owner of another application',
      ...session(await withRole(limited, elsewhere, roles.owner)),
      role: limited,
      isElsewhere: true,
    },
    { name: 'a limited member without an application', ...session(await build.member(team, limited)), role: limited },
    {
      name: 'a viewer who owns the application',
      ...session(await withRole(roles.viewer, application, roles.owner)),
      role: roles.viewer,
      there: roles.owner,
    },
    {
      name: 'a member who is a viewer in the application',
      ...session(await withRole(roles.member, application, roles.viewer)),
      role: roles.member,
      there: roles.viewer,
    },
    {
      name: 'a personal token of a limited owner of the application',
      ...session(contractor),
      headers: bearer((await personalToken(contractor, personalScopes)).token),
      role: limited,
      there: roles.owner,
      token: personalScopes,
    },
    { name: 'the instance', ...(await byInstance(named)), instance: 'named' },
    { name: 'another instance of the team', ...(await byInstance(sibling)), instance: 'sibling' },
    { name: 'an instance of another team', ...(await byInstance(foreign)), instance: 'foreign' },
    { name: 'the device', ...byDevice(namedDevice), device: 'named' },
    { name: 'a device of another team', ...byDevice(await device(stranger, otherTeam)), device: 'foreign' },
    { name: 'a provisioning token', ...(await byProvisioning(owner, team)), provisioning: 'named' },
    {
      name: 'a provisioning token of another team',
      ...(await byProvisioning(stranger, otherTeam)),
      provisioning: 'foreign',
    },
  ]

  const world = {
    team,
    otherTeam,
    application,
    instance: named,
    device: namedDevice,
    freshProvisioningToken: async (): Promise<string> => (await provisioning(owner, team)).id,
    freshDevice: async (): Promise<string> => (await device(owner, team)).id,
    callers,
    choice: await build.choice(),
    teamType: await build.teamType(),
    /** A name nobody has used yet. */
    unused: () => `matrix-${(serial += 1)}`,
    freshApplication: () => build.application(owner, team),
    freshInstance: () => instance(),
    /** The id of a snapshot of an instance, of the named one unless told. */
    freshSnapshot: async (instanceId = named.id): Promise<string> =>
      (await owner.client.call('snapshot.create', { params: { instanceId }, body: { name: 'Fresh' } })).id,
    /** A pipeline of two stages, the first of the named instance; with room for another when it is told so. */
    async freshPipeline(alone?: 'alone'): Promise<{ applicationId: string; pipelineId: string; stageId: string }> {
      const applicationId = application.id
      const { id: pipelineId } = await owner.client.call('pipeline.create', {
        params: { applicationId },
        body: { name: 'Fresh' },
      })
      const add = (name: string, { id: instanceId }: { id: string }) =>
        owner.client.call('pipeline.addStage', { params: { pipelineId }, body: { name, instanceId } })
      const { id: stageId } = await add('First', named)
      if (!alone) await add('Second', sibling)
      return { applicationId, pipelineId, stageId }
    },
    sibling,
    /** A further session of a person; its id, and its cookie. */
    async freshSession(userId: string): Promise<{ id: string; cookie: string }> {
      const token = await database.transact((tx) => services.sessions.open(tx, userId, { address: '', userAgent: '' }))
      const { id } = await database.read
        .selectFrom('sessions')
        .select('id')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow()
      return { id, cookie: `${services.sessionCookie.name}=${token}` }
    },
    freshUser: () => build.user(),
    /** Something that nothing is made of yet; its id. */
    async freshType(): Promise<string> {
      return (await tokenAdmin.client.call('instanceType.create', { body: { name: this.unused() } })).id
    },
    async freshStack(): Promise<string> {
      const { projectType } = await build.choice()
      const body = { name: this.unused(), projectType, properties: { nodered: '5.0.7', memory: 256 } }
      return (await tokenAdmin.client.call('stack.create', { body })).id
    },
    async freshTemplate(): Promise<string> {
      return (await tokenAdmin.client.call('template.create', { body: { name: this.unused() } })).id
    },
    /** A personal token of a person; its id. */
    async freshToken(userId: string): Promise<string> {
      const { cookie } = await this.freshSession(userId)
      const client = clientWith(address, 'cookie', cookie)
      return (await client.call('tokens.create', { body: { name: 'Fresh', scopes: ['user:read'], expiresAt: null } }))
        .id
    },
    shareEntry: (entry: { params: { teamId: string; '*': string }; body: { type: 'flows'; body: unknown } }) =>
      owner.client.call('library.save', entry),
    freshMember: () => build.member(team, roles.viewer),
    /** A new member with a role in the application. */
    freshApplicationMember: () => withRole(roles.viewer, application, roles.member),
    /** The id of an invitation of this person into this team. */
    async freshInvitation(into: { id: string }, inviteeId: string): Promise<string> {
      const [id, now] = [`invitation-${(serial += 1)}`, Date.now()]
      const row = { id, team_id: into.id, invitor_id: owner.id, invitee_id: inviteeId, role: roles.viewer }
      // Asked for once more by a caller who was refused, it is there already.
      await database.read
        .deleteFrom('invitations')
        .where('team_id', '=', into.id)
        .where('invitee_id', '=', inviteeId)
        .execute()
      const times = { created_at: now, expires_at: now + 3_600_000, sent_at: null }
      await database.read
        .insertInto('invitations')
        .values({ ...row, ...times, email: null, email_key: null })
        .execute()
      return id
    },
    /** The id of a sign-in to the editor of the named instance that waits for its answer. */
    async freshRequest(): Promise<{ id: string; browser: string }> {
      const { client_id } = await database.read
        .selectFrom('instances')
        .select('client_id')
        .where('id', '=', named.id)
        .executeTakeFirstOrThrow()
      const query = new URLSearchParams({
        client_id: client_id ?? '',
        response_type: 'code',
        scope: 'editor-2',
        state: 'x',
        redirect_uri: `${named.url}/auth/strategy/callback`,
        code_challenge: 'x',
        code_challenge_method: 'S256',
      })
      const answer = await send(address, 'GET', `/account/authorize?${query.toString()}`)
      const id = answer.headers.get('location')?.split('/')[3] ?? `no request: ${answer.text}`
      return { id, browser: `sign-in=${cookieOf(answer, 'sign-in')}` }
    },
    /** The traces that a refused call must not change: the number of objects, and the caller's entries. */
    async traces(userId: string | undefined): Promise<string> {
      const count = (table: 'teams' | 'applications' | 'instances' | 'sessions') =>
        sql<number>`(select count(*) from ${sql.table(table)})`
      const { rows } =
        await sql`select ${count('teams')} as a, ${count('applications')} as b, ${count('instances')} as c,
        ${count('sessions')} as d, (select count(*) from audit_log where trigger_id = ${userId ?? ''}) as e`.execute(
          database.read,
        )
      return JSON.stringify(rows)
    },
    call: async (
      method: string,
      path: string,
      request: { headers: Record<string, string>; body?: unknown },
    ): Promise<Answer> => send(address, method, path, request),
  }

  return {
    ...world,
    /** The same world, where everything that is named is in the application: judged by the roles there. */
    seenBy(caller: ActingCaller): typeof world {
      if (caller.there === undefined && caller.role !== limited) return world
      return {
        ...world,
        device: assignedDevice,
        freshDevice: async () => (await assigned(named)).id,
        async freshApplication() {
          const made = await build.application(owner, team)
          if (caller.userId && caller.there !== undefined)
            await build.applicationRole(made, caller.userId, caller.there as ApplicationRole)
          return made
        },
      }
    },
    /** The ids that no answer to this limited member may have; of nothing to anybody else. */
    hiddenFrom({ role, there, isElsewhere }: ActingCaller): string[] {
      if (role !== limited) return []
      const inside = [application, named, sibling, assignedDevice]
      const outside = [elsewhere, aside, deviceAside]
      const hidden = [...(there === undefined ? inside : []), ...(isElsewhere ? [] : outside), namedDevice]
      return hidden.map(({ id }) => id)
    },
  }
}
