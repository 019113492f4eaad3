import { beforeEach, expect, test } from 'vitest'
import { openStream, password, send, startServer, type TestUser, tokenIn, until } from '../../../testing/index.ts'
import { openUsers } from './testing/users.world.ts'

let user: TestUser
const { mails, server, admin, call } = await openUsers()
beforeEach(async () => {
  user = await server.build.user()
})

const update = (body: object, of: TestUser = user) => call('PUT', `/api/v1/users/${of.id}`, body)
const statusOf = async (headers: Record<string, string>) =>
  (await send(server.address, 'GET', '/api/v1/user', { headers })).status
const signIn = (secret = password) =>
  send(server.address, 'POST', '/account/login', { body: { username: user.username, password: secret } })
const events = async () =>
  (
    await server.app.database.read
      .selectFrom('audit_log')
      .selectAll()
      .where('scope_id', '=', user.id)
      .orderBy('id')
      .execute()
  ).map(({ event, trigger_id, body }) => ({ event, trigger_id, body: JSON.parse(body) as object }))

/** Everything a person can have open: a session, a stream of events, an editor. */
async function openAll() {
  const team = await server.build.team(await server.build.user())
  const owner = await server.build.member(team, 50)
  await server.app.database.read
    .insertInto('team_members')
    .values({ team_id: team.id, user_id: user.id, role: 30, created_at: 1 })
    .execute()
  const instance = await server.build.runningInstance(owner, await server.build.application(owner, team))
  const { database, services } = server.app
  const editor = await database.transact((tx) => services.tokens.forEditor(tx, user.id, instance.id, '*'))
  const stored = { a: { user: user.username, client: 'node-red-editor', accessToken: `nr-${user.id}` } }
  await send(server.address, 'POST', `/storage/${instance.id}/sessions`, {
    headers: { authorization: `Bearer ${await server.build.instanceToken(instance)}` },
    body: stored,
  })
  const revoked: string[] = []
  server.driver.revokeUserToken = async (_id, token) => void revoked.push(token)
  const stream = await openStream(server.address, { cookie: user.cookie })
  expect([
    await statusOf({ cookie: user.cookie }),
    await statusOf({ authorization: `Bearer ${editor.access}` }),
  ]).toEqual([200, 200])
  return { editor, stream, revoked }
}

/** All of it is over within a second. */
async function expectEnded({ editor, stream, revoked }: Awaited<ReturnType<typeof openAll>>) {
  expect([
    await statusOf({ cookie: user.cookie }),
    await statusOf({ authorization: `Bearer ${editor.access}` }),
  ]).toEqual([401, 401])
  await until(
    async () => stream.ended() && revoked.includes(`nr-${user.id}`),
    (over) => over,
    1_000,
  )
  const refresh = { grant_type: 'refresh_token', refresh_token: editor.refresh }
  expect((await send(server.address, 'POST', '/account/token', { body: refresh })).status).toBe(400)
}

test('[AUSER-37] a suspended person is out within a second: sessions, streams, editors and their tokens', async () => {
  const open = await openAll()
  expect((await update({ suspended: true })).json).toMatchObject({ id: user.id, suspended: true })
  await expectEnded(open)
  expect((await signIn()).json.code).toBe('user_suspended')
  expect((await signIn('wrong')).json.code).toBe('unauthorized')
  expect((await mails.to(`${user.username}@example.com`)).parsed.subject).toBe('Your account was suspended')
  expect((await events())[0]).toMatchObject({
    event: 'users.updated-user',
    trigger_id: admin.id,
    body: { user: { id: user.id }, updates: [{ key: 'suspended', old: false, new: true }] },
  })
})

test('[AUSER-37] lifting a suspension revives no session and no token', async () => {
  const { token } = await user.client.call('tokens.create', {
    body: { name: 'CI', scopes: ['user:read'], expiresAt: null },
  })
  const authorization = `Bearer ${token}`
  expect(await statusOf({ authorization })).toBe(200)
  await update({ suspended: true })
  expect(await statusOf({ authorization })).toBe(401)
  await update({ suspended: false })
  expect(await statusOf({ authorization })).toBe(401)
  expect(await statusOf({ cookie: user.cookie })).toBe(401)
  expect((await signIn()).status).toBe(200)
})

test('a person who deletes the account is out within a second, everywhere', async () => {
  const open = await openAll()
  expect((await call('DELETE', '/api/v1/user', undefined, user)).json).toEqual({ status: 'okay' })
  await expectEnded(open)
  expect((await signIn()).json.code).toBe('unauthorized')
})

test('[AUSER-37] memberships, invitations and the tokens of instances and devices outlive a suspension', async () => {
  const owner = await server.build.user()
  const [team, other] = [await server.build.team(owner), await server.build.team(owner)]
  await server.app.database.read
    .insertInto('team_members')
    .values({ team_id: team.id, user_id: user.id, role: 30, created_at: 1 })
    .execute()
  await owner.client.call('invitation.create', { params: { teamId: other.id }, body: { user: user.username } })
  const second = await server.build.member(team, 50)
  const instance = await server.build.runningInstance(second, await server.build.application(second, team))
  const token = await server.build.instanceToken(instance)
  const device = await second.client.call('device.create', { body: { name: 'Oven', type: 'Pi', team: team.id } })
  for (const { id } of [user, second])
    expect((await call('PUT', `/api/v1/users/${id}`, { suspended: true })).status).toBe(200)
  const { members } = await owner.client.call('team.members', { params: { teamId: team.id } })
  expect(members.map(({ id, suspended }) => [id, suspended])).toEqual(
    expect.arrayContaining([user.id, second.id].map((id) => [id, true])),
  )
  const { invitations } = await owner.client.call('invitation.listOfTeam', { params: { teamId: other.id } })
  expect(invitations).toHaveLength(1)
  const flows = await send(server.address, 'GET', `/storage/${instance.id}/flows`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(flows.status).toBe(200)
  const state = await send(server.address, 'GET', `/api/v1/devices/${device.id}/live/state`, {
    headers: { authorization: `Bearer ${device.credentials.token}` },
  })
  expect(state.status).toBe(200)
})

test('[AUSER-37] an administrator cannot suspend themself', async () => {
  expect((await update({ suspended: true }, admin)).json).toMatchObject({ code: 'invalid_request' })
  expect(await statusOf({ cookie: admin.cookie })).toBe(200)
})

test('[ACCT-25] a password that an administrator let expire has to be changed first', async () => {
  await update({ password_expired: true })
  expect((await call('GET', '/api/v1/user', undefined, user)).json).toMatchObject({ password_expired: true })
  expect((await call('GET', '/api/v1/user/teams', undefined, user)).status).toBe(401)
  const change = (next: string) =>
    call('PUT', '/api/v1/user/change_password', { old_password: password, password: next }, user)
  expect((await change(password)).json).toMatchObject({ code: 'password_change_failed' })
  expect((await change('battery staple 42')).status).toBe(200)
  expect((await call('GET', '/api/v1/user/teams', undefined, user)).status).toBe(200)
})

test('an address that counts as unproven again gets a new link', async () => {
  expect((await update({ email_verified: false })).json).toMatchObject({ email_verified: false })
  const token = tokenIn(await mails.to(`${user.username}@example.com`))
  expect((await call('GET', '/api/v1/user/teams', undefined, user)).status).toBe(401)
  await send(server.address, 'POST', `/account/verify/${token}`, { headers: { cookie: user.cookie } })
  expect((await call('GET', '/api/v1/user/teams', undefined, user)).status).toBe(200)
  await update({ email_verified: false })
  expect((await update({ email_verified: true })).json).toMatchObject({ email_verified: true })
})

test('without mail an administrator hands over the link, which works once and is recorded', async () => {
  const silent = await startServer()
  const [boss, one] = [await silent.build.user({ admin: true }), await silent.build.user()]
  const make = async (purpose: string, as = boss) =>
    send(silent.address, 'POST', `/api/v1/users/${one.id}/links`, { headers: { cookie: as.cookie }, body: { purpose } })
  const former = await make('reset-password')
  const answer = await make('reset-password')
  expect(answer.json).toEqual({
    url: expect.stringMatching(/^http:\/\/localhost:\d+\/account\/change-password\/ffpr_/),
    expiresAt: expect.any(String),
  })
  const use = async (made: typeof answer, secret: string) =>
    send(silent.address, 'POST', `/account/reset_password/${String(made.json.url).split('/').at(-1)}`, {
      body: { password: secret },
    })
  expect((await use(former, 'battery staple 1')).json.code).toBe('password_reset_failed')
  expect((await use(answer, 'battery staple 2')).status).toBe(200)
  expect((await use(answer, 'battery staple 3')).json.code).toBe('password_reset_failed')
  expect((await make('verify')).json).toMatchObject({ code: 'invalid_request' })
  await silent.app.database.read.updateTable('users').set({ email_verified: 0 }).where('id', '=', one.id).execute()
  const verify = await make('verify')
  const handed = new URL(String(verify.json.url)).pathname
  const body = { password: 'battery staple 2' }
  expect((await send(silent.address, 'POST', handed, { body })).status).toBe(200)
  const [entry] = await silent.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '=', 'users.link-created')
    .execute()
  expect(JSON.parse(entry!.body)).toEqual({
    user: { id: one.id, name: one.username, username: one.username, email: `${one.username}@example.com` },
    info: { purpose: 'reset-password' },
  })
  expect((await make('reset-password', one)).status).toBe(401)
  await silent.close()
})

test('what is not there cannot be changed', async () => {
  expect((await call('PUT', '/api/v1/users/nobody', { suspended: true })).status).toBe(404)
  expect((await call('POST', '/api/v1/users/nobody/links', { purpose: 'verify' })).status).toBe(404)
})
