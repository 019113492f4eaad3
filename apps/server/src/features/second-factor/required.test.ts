import { expect, test } from 'vitest'
import {
  clientWith,
  createFactors,
  openServer,
  openStream,
  password,
  send,
  testClock,
  type TestUser,
} from '../../../testing/index.ts'

const clock = testClock()
const server = await openServer({ clock })
const factors = createFactors(server, clock)
const admin = await server.build.user({ admin: true })
await factors.app(admin)

const require = (required: boolean) => admin.client.call('settings.update', { body: { 'user:mfa-required': required } })
const get = (headers: Record<string, string>, path: string) => send(server.address, 'GET', path, { headers })

test('an administrator requires a second factor of everyone; the log keeps it, administrators see it', async () => {
  await require(true)
  const settings = await admin.client.call('settings.get')
  expect(settings['user:mfa-required']).toBe(true)
  const entry = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '=', 'platform.settings.updated')
    .executeTakeFirstOrThrow()
  expect(entry).toMatchObject({ scope_type: 'platform', trigger_id: admin.id })
  expect(JSON.parse(entry.body)).toEqual({
    updates: [{ key: 'user:mfa-required', old: false, new: true, dif: 'updated' }],
  })
  await require(false)
  expect((await server.build.anonymous.call('settings.get'))['user:mfa-required']).toBeUndefined()
})

test('nobody else may, and an unknown or unwritable name changes nothing', async () => {
  const user = await server.build.user()
  const put = (cookie: string, body: unknown) =>
    send(server.address, 'PUT', '/api/v1/settings', { headers: { cookie }, body })
  expect((await put(user.cookie, { 'user:mfa-required': true })).status).toBe(403)
  for (const more of [{ 'setup:initialised': false }, { cookieSecret: 'x' }, { license: null }])
    expect(await put(admin.cookie, { 'user:mfa-required': true, ...more })).toMatchObject({ status: 400 })
  expect((await put(admin.cookie, { 'user:mfa-required': 'yes' })).status).toBe(400)
  expect((await server.app.services.settings.all())['user:mfa-required']).toBe(false)
})

test('who has none is locked until they add one: sessions, and tokens as well', async () => {
  const [user, enrolled] = [await server.build.user(), await server.build.user()]
  await factors.app(enrolled)
  const { token } = await user.client.call('tokens.create', {
    body: { name: 'CI', scopes: ['user:read', 'user:team:list'], expiresAt: null },
  })
  const byToken = { authorization: `Bearer ${token}` }
  await require(true)
  try {
    const bySession = { cookie: user.cookie }
    for (const headers of [bySession, byToken])
      expect(await get(headers, '/api/v1/user/teams')).toMatchObject({ status: 401, json: { code: 'unauthorized' } })
    expect((await get(bySession, '/api/v1/user/tokens')).status).toBe(401)
    expect((await get(bySession, '/api/v1/user')).json).toMatchObject({ mfa_missing: true })
    expect((await get(bySession, '/api/v1/user/mfa')).json).toMatchObject({ factors: [], required: true })
    expect((await get({ cookie: enrolled.cookie }, '/api/v1/user/teams')).status).toBe(200)
    expect((await get({ cookie: enrolled.cookie }, '/api/v1/user')).json.mfa_missing).toBeUndefined()

    await factors.app(user)
    expect((await get(bySession, '/api/v1/user/teams')).status).toBe(200)
    expect((await get(bySession, '/api/v1/user')).json.mfa_missing).toBeUndefined()
    expect((await get(byToken, '/api/v1/user/teams')).status).toBe(200)
  } finally {
    await require(false)
  }
})

test('a passkey opens the gate as well, and removing the last factor closes it again', async () => {
  const user = await server.build.user()
  await require(true)
  try {
    const { id } = await factors.passkey(user)
    expect((await get({ cookie: user.cookie }, '/api/v1/user/teams')).status).toBe(200)
    await user.client.call('secondFactor.remove', { params: { factorId: id }, body: { proof: { password } } })
    expect((await get({ cookie: user.cookie }, '/api/v1/user/teams')).status).toBe(401)
  } finally {
    await require(false)
  }
})

test('a stream that was open before hears no more than the gate lets through', async () => {
  const user = await server.build.user()
  const stream = await openStream(server.address, { cookie: user.cookie })
  await require(true)
  try {
    const { bus, database } = server.app
    await database.transact((tx) => bus.publish(tx, { type: 'session', user: user.id }))
    await expect.poll(() => stream.ended(), { timeout: 5_000 }).toBe(true)
  } finally {
    await require(false)
  }
})

test('an administrator takes the factors from somebody who lost them, and it stands in the log', async () => {
  const user = await server.build.user()
  await factors.app(user)
  await factors.passkey(user)
  const reset = (by: TestUser, id: string) =>
    send(server.address, 'DELETE', `/api/v1/users/${id}/mfa`, { headers: { cookie: by.cookie } })
  expect((await reset(user, admin.id)).status).toBe(403)
  expect((await reset(admin, 'nobody')).status).toBe(404)
  expect((await reset(admin, admin.id)).json.code).toBe('invalid_request')
  expect((await reset(admin, user.id)).json).toEqual({ status: 'okay' })
  expect((await get({ cookie: user.cookie }, '/api/v1/user')).status).toBe(401)
  expect((await factors.step(user)).answer.status).toBe(200)
  const { read } = server.app.database
  for (const table of ['second_factors', 'recovery_codes'] as const)
    expect(await read.selectFrom(table).selectAll().where('user_id', '=', user.id).execute()).toEqual([])
  const entry = await read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '=', 'users.second-factor.reset')
    .executeTakeFirstOrThrow()
  expect(entry).toMatchObject({ scope_id: user.id, trigger_id: admin.id })
})

test('an administrator is no exception', async () => {
  const other = await server.build.user({ admin: true })
  await require(true)
  const settings = clientWith(server.address, 'cookie', other.cookie)
  await expect(settings.call('settings.update', { body: { 'user:mfa-required': false } })).rejects.toMatchObject({
    status: 401,
  })
  await require(false)
})
