import { roles, scopes } from '@app/contract'
import { expect, test } from 'vitest'
import { openServer, password, send, testClock, type TestUser } from '../../../testing/index.ts'
import { isWhole, newPersonalToken } from './personal-token.ts'

const clock = testClock()
const minute = 60_000
const day = 24 * 60 * minute
const server = await openServer({ clock })
const owner = await server.build.user({ name: 'Ada' })
const team = await server.build.team(owner)

type Wish = { name?: string; scopes?: string[]; expiresAt?: string | null }
const make = (user: TestUser, wish: Wish = {}) =>
  user.client.call('tokens.create', {
    body: { name: 'CI', scopes: ['user:read'], expiresAt: null, ...wish } as never,
  })
const by = (token: string) => ({ authorization: `Bearer ${token}` })
const whoIs = (token: string) => send(server.address, 'GET', '/api/v1/user', { headers: by(token) })
const list = async (user: TestUser) => (await user.client.call('tokens.list')).tokens

test('a token is shown once, signs its owner in within its scopes, and is kept as a hash', async () => {
  const expiresAt = new Date(clock.now() + 7 * day).toISOString()
  const made = await make(owner, { name: 'Nightly report', scopes: ['user:read', 'team:read', 'user:read'], expiresAt })
  expect(made).toMatchObject({
    name: 'Nightly report',
    scopes: ['team:read', 'user:read'],
    expiresAt,
    lastUsedAt: null,
  })
  expect((await whoIs(made.token)).json).toMatchObject({ username: owner.username })
  expect((await send(server.address, 'GET', `/api/v1/teams/${team.id}`, { headers: by(made.token) })).status).toBe(200)
  const { token, ...rest } = made
  expect(await list(owner)).toEqual([{ ...rest, lastUsedAt: expect.any(String) }])
  const rows = await server.app.database.read.selectFrom('tokens').selectAll().execute()
  const log = await server.app.database.read.selectFrom('audit_log').selectAll().execute()
  expect(JSON.stringify([rows, log])).not.toContain(token)
})

test('beyond its scopes a token is refused, and a role too low stays too low', async () => {
  const { token } = await make(owner, { scopes: ['team:read'] })
  const get = (path: string) => send(server.address, 'GET', path, { headers: by(token) })
  expect((await get(`/api/v1/teams/${team.id}`)).status).toBe(200)
  expect(await get(`/api/v1/teams/${team.id}/members`)).toMatchObject({ status: 403, json: { code: 'unauthorized' } })
  const viewer = await server.build.member(team, roles.viewer)
  const wide = await make(viewer, { scopes: Object.keys(scopes) })
  const edit = (teamId: string) =>
    send(server.address, 'PUT', `/api/v1/teams/${teamId}`, { headers: by(wide.token), body: { name: 'Mine' } })
  expect((await edit(team.id)).status).toBe(403)
  expect((await edit((await server.build.team(await server.build.user())).id)).status).toBe(404)
})

test('[ENV-14] a token writes the variables of an instance and those of a device by a scope for each', async () => {
  const instance = await server.build.instance(owner, await server.build.application(owner, team))
  const device = await owner.client.call('device.create', { body: { name: 'Oven 1', type: 'Pi', team: team.id } })
  const statuses = async (scope: string) => {
    const { token } = await make(owner, { scopes: [scope] })
    const put = async (path: string, body: object) =>
      (await send(server.address, 'PUT', `/api/v1/${path}`, { headers: by(token), body })).status
    return [
      await put(`projects/${instance.id}`, { settings: { env: [] } }),
      await put(`devices/${device.id}/settings`, { env: [] }),
    ]
  }
  expect(await statuses('project:edit-env')).toEqual([200, 403])
  expect(await statuses('device:edit-env')).toEqual([403, 200])
})

test('what everybody may know is open to a token as well', async () => {
  const { token } = await make(owner)
  expect((await send(server.address, 'GET', '/api/v1/team-types', { headers: by(token) })).status).toBe(200)
})

test('a token makes no tokens, and changes neither the password nor the second factor', async () => {
  const { id, token } = await make(owner, { scopes: Object.keys(scopes) })
  const headers = by(token)
  const proof = { password }
  const calls: [string, string, unknown][] = [
    ['GET', '/api/v1/user/tokens', undefined],
    ['POST', '/api/v1/user/tokens', { name: 'More', scopes: ['user:read'], expiresAt: null }],
    ['DELETE', `/api/v1/user/tokens/${id}`, undefined],
    ['PUT', '/api/v1/user/change_password', { old_password: password, password: 'another horse' }],
    ['GET', '/api/v1/user/mfa', undefined],
    ['POST', '/api/v1/user/mfa/challenge', undefined],
    ['POST', '/api/v1/user/mfa/app', { proof }],
    ['PUT', '/api/v1/user/mfa/app', { code: '123456' }],
    ['POST', '/api/v1/user/mfa/passkeys/options', { proof }],
    ['POST', '/api/v1/user/mfa/recovery-codes', { proof }],
    ['POST', '/api/v1/user/mfa/x/remove', { proof }],
  ]
  for (const [method, path, body] of calls)
    expect([path, (await send(server.address, method, path, { headers, body })).status]).toEqual([path, 403])
  expect((await list(owner)).some((one) => one.id === id)).toBe(true)
})

test('a token expires to the millisecond, and stays in the list', async () => {
  const user = await server.build.user()
  const { id, token } = await make(user, { expiresAt: new Date(clock.now() + minute).toISOString() })
  clock.turn(minute - 1)
  expect((await whoIs(token)).status).toBe(200)
  clock.turn(1)
  expect(await whoIs(token)).toMatchObject({ status: 401, json: { code: 'unauthorized' } })
  expect((await list(user)).map((one) => one.id)).toEqual([id])
})

test('a revoked token is refused at once; nobody revokes or sees that of another', async () => {
  const [user, other] = [await server.build.user(), await server.build.user()]
  const { id, token } = await make(user)
  await expect(other.client.call('tokens.revoke', { params: { tokenId: id } })).rejects.toMatchObject({ status: 404 })
  expect(await list(other)).toEqual([])
  expect((await whoIs(token)).status).toBe(200)
  await user.client.call('tokens.revoke', { params: { tokenId: id } })
  expect((await whoIs(token)).status).toBe(401)
  await expect(user.client.call('tokens.revoke', { params: { tokenId: id } })).rejects.toMatchObject({ status: 404 })
  expect(await list(user)).toEqual([])
})

test('the tokens of editors and instances are not in the list, and are not revoked there', async () => {
  const user = await server.build.user()
  const instance = await server.build.instance(
    user,
    await server.build.application(user, await server.build.team(user)),
  )
  const { database, services } = server.app
  const { access } = await database.transact((tx) => services.tokens.forEditor(tx, user.id, instance.id, '*'))
  const { id } = await database.read
    .selectFrom('tokens')
    .select('id')
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow()
  expect(await list(user)).toEqual([])
  await expect(user.client.call('tokens.revoke', { params: { tokenId: id } })).rejects.toMatchObject({ status: 404 })
  expect((await whoIs(access)).status).toBe(200)
})

test('a suspended or locked owner takes their tokens with them', async () => {
  const user = await server.build.user()
  const { token } = await make(user, { scopes: ['user:team:list'] })
  const teams = async () => (await send(server.address, 'GET', '/api/v1/user/teams', { headers: by(token) })).status
  const set = (change: object) =>
    server.app.database.read.updateTable('users').set(change).where('id', '=', user.id).execute()
  expect(await teams()).toBe(200)
  await set({ suspended: 1 })
  expect(await teams()).toBe(401)
  await set({ suspended: 0, password_expired: 1 })
  expect(await teams()).toBe(401)
  // People who sign in through a provider may have no password that they could change.
  await set({ sso_enabled: 1 })
  expect(await teams()).toBe(200)
})

test('when a token was used last is written once a minute', async () => {
  const user = await server.build.user()
  const { token } = await make(user)
  const lastUsed = async () => Date.parse((await list(user))[0]?.lastUsedAt ?? '')
  expect(await lastUsed()).toBeNaN()
  await whoIs(token)
  const first = clock.now()
  clock.turn(minute - 1)
  await whoIs(token)
  expect(await lastUsed()).toBe(first)
  clock.turn(1)
  await whoIs(token)
  expect(await lastUsed()).toBe(first + minute)
})

test('what a token does stands in the log with its name; making and revoking it as well', async () => {
  const user = await server.build.user({ name: 'Grace' })
  const mine = await server.build.team(user)
  const { id, token } = await make(user, { name: 'Robot', scopes: ['team:edit'] })
  await send(server.address, 'PUT', `/api/v1/teams/${mine.id}`, { headers: by(token), body: { name: 'Renamed' } })
  await user.client.call('tokens.revoke', { params: { tokenId: id } })
  const rows = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('trigger_id', '=', user.id)
    .where('scope_type', 'in', ['user', 'team'])
    .orderBy('id')
    .execute()
  const seen = rows.map(({ event, trigger_name, username, body }) => [event, trigger_name, username, JSON.parse(body)])
  const info = { tokenId: id, tokenName: 'Robot' }
  expect(seen.filter(([event]) => event !== 'team.created')).toEqual([
    ['user.token.created', 'Grace', user.username, { info: { ...info, scopes: ['team:edit'], expiresAt: null } }],
    ['team.settings.updated', 'Grace (access token “Robot”)', user.username, expect.anything()],
    ['user.token.revoked', 'Grace', user.username, { info }],
  ])
})

test.each([
  [{ name: ' ' }, 'name'],
  [{ name: 'x'.repeat(81) }, 'name'],
  [{ scopes: [] }, 'scopes'],
  [{ scopes: ['team:destroy'] }, 'scopes.0'],
  [{ expiresAt: new Date(0).toISOString() }, 'expiresAt'],
  [{ expiresAt: 'soon' }, 'expiresAt'],
  [{ expiresAt: undefined }, 'expiresAt'],
])('a token that is badly wished for is refused with the field (%#)', async (wish, field) => {
  const user = await server.build.user()
  const body = { name: 'CI', scopes: ['user:read'], expiresAt: null, ...wish }
  const answer = await send(server.address, 'POST', '/api/v1/user/tokens', { headers: { cookie: user.cookie }, body })
  expect(answer).toMatchObject({ status: 400, json: { fields: { [field]: expect.any(String) } } })
  expect(await list(user)).toEqual([])
})

test('fifty tokens are enough for anybody', async () => {
  const user = await server.build.user()
  for (let i = 0; i < 50; i++) await make(user)
  await expect(make(user)).rejects.toMatchObject({ status: 400, code: 'invalid_request' })
})

test('a token in the address, in a cookie or in another scheme is none', async () => {
  const { token } = await make(await server.build.user())
  for (const name of ['access_token', 'token', 'authorization'])
    expect((await send(server.address, 'GET', `/api/v1/user?${name}=${token}`)).status).toBe(401)
  const elsewhere: Record<string, string>[] = [
    { cookie: `sid=${token}` },
    { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` },
    { authorization: token },
    { 'x-access-token': token },
  ]
  for (const headers of elsewhere)
    expect((await send(server.address, 'GET', '/api/v1/user', { headers })).status).toBe(401)
})

test('a mistyped or cut token is refused without asking the database', async () => {
  const { token } = await make(await server.build.user())
  const swapped = token.slice(0, 10) + (token[10] === 'a' ? 'b' : 'a') + token.slice(11)
  server.queries.worst.clear()
  for (const bad of [
    swapped,
    token.slice(0, -1),
    `${token}x`,
    token.toLowerCase(),
    'ffpat_',
    `ffpat_${'x'.repeat(49)}`,
  ])
    expect((await whoIs(bad)).status).toBe(401)
  expect(server.queries.worst.get('GET /api/v1/user')).toBe(0)
})

test('tokens look like themselves: a prefix, 43 letters and digits, and a checksum that tells them', () => {
  const many = Array.from({ length: 200 }, newPersonalToken)
  expect(new Set(many).size).toBe(200)
  for (const one of many) expect(one).toMatch(/^ffpat_[0-9A-Za-z]{49}$/)
  expect(many.filter(isWhole)).toHaveLength(200)
  // One letter changed anywhere is noticed.
  const [one = ''] = many
  const changed = [...one].map((letter, at) => one.slice(0, at) + (letter === 'Z' ? 'Y' : 'Z') + one.slice(at + 1))
  expect(changed.filter(isWhole)).toEqual([])
})
