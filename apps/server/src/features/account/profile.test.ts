import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { openServer, send } from '../../../testing/index.ts'

const server = await openServer()

const update = (cookie: string, body: unknown) =>
  send(server.address, 'PUT', '/api/v1/user', { headers: { cookie }, body })
const eventsOf = (id: string) =>
  server.app.database.read.selectFrom('audit_log').selectAll().where('scope_id', '=', id).orderBy('id').execute()

test('[API-15] a user reads the own record, and nothing of it is secret', async () => {
  const user = await server.build.user({ name: 'Ada L' })
  const record = await user.client.call('account.get')
  expect(record).toEqual({
    id: user.id,
    username: user.username,
    name: 'Ada L',
    email: `${user.username}@example.com`,
    admin: false,
    suspended: false,
    email_verified: true,
    createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    avatar: `${server.config.baseUrl}/avatar/${Buffer.from('Ada L').toString('base64url')}`,
  })
  expect((await send(server.address, 'GET', '/api/v1/user')).status).toBe(401)
})

test('a user changes the own name and default team; an empty name is the user name again', async () => {
  const user = await server.build.user()
  const team = await server.build.team(user)
  expect((await update(user.cookie, { name: '  Ada  ', defaultTeam: team.id })).json).toMatchObject({
    name: 'Ada',
    defaultTeam: team.id,
  })
  expect((await update(user.cookie, {})).json).toMatchObject({ name: 'Ada', defaultTeam: team.id })
  expect((await update(user.cookie, { name: ' ' })).json.name).toBe(user.username)
  const [first] = await eventsOf(user.id)
  expect(first).toMatchObject({
    event: 'user.updated-user',
    scope_type: 'user',
    trigger_id: user.id,
    address: '127.0.0.1',
  })
  expect(JSON.parse(first!.body)).toEqual({
    updates: [
      { key: 'name', old: user.username, new: 'Ada', dif: 'updated' },
      { key: 'defaultTeam', old: null, new: team.id, dif: 'updated' },
    ],
  })
})

test('a team one does not belong to cannot be the default, nor one that does not exist', async () => {
  const user = await server.build.user()
  const foreign = await server.build.team(await server.build.user())
  for (const defaultTeam of [foreign.id, 'unknown']) {
    expect(await update(user.cookie, { defaultTeam })).toMatchObject({ status: 400, json: { code: 'invalid_team' } })
  }
  expect(await user.client.call('account.get')).not.toHaveProperty('defaultTeam')
})

test.each([
  { admin: true },
  { suspended: false, email_verified: true },
  { password: 'a new password' },
  { password_hash: 'x' },
  { id: 'other' },
  { username: 'root' },
  { email: 'other@example.com' },
  { created_at: 1, role: roles.admin },
])('a user cannot give themselves %o', async (body) => {
  const user = await server.build.user()
  const before = await server.app.database.read
    .selectFrom('users')
    .selectAll()
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow()
  await update(user.cookie, { ...body, name: user.username })
  const { updated_at: _a, ...after } = await server.app.database.read
    .selectFrom('users')
    .selectAll()
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow()
  const { updated_at: _b, ...expected } = before
  expect(after).toEqual(expected)
})

test.each([['x'.repeat(81)], ['https://evil.example'], [1], [null], [['a']]])(
  'the name %j is refused and nothing changes',
  async (name) => {
    const user = await server.build.user()
    expect(await update(user.cookie, { name })).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', fields: { name: expect.any(String) } },
    })
    expect(await eventsOf(user.id)).toEqual([])
  },
)

test('terms are shown as accepted only while they are required', async () => {
  const user = await server.build.user()
  expect((await update(user.cookie, { tcs_accepted: true })).json).not.toHaveProperty('tcs_accepted')
  await server.build.setting('user:tcs-required', true)
  expect((await user.client.call('account.get')).tcs_accepted).toMatch(/Z$/)
  await server.build.setting('user:tcs-required', false)
})

test('[API-19] [API-25] without mail there is no verification mail to send again', async () => {
  const user = await server.build.user()
  await expect(user.client.call('account.verify')).rejects.toMatchObject({ status: 400, code: 'invalid_request' })
})

test('the picture of a name is drawn, and no name can write into it', async () => {
  const picture = await send(server.address, 'GET', `/avatar/${Buffer.from('<script> "&').toString('base64url')}`)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(picture.text).not.toContain('<script')
})

test('the record in every state: default team, expired password, unverified address, accepted terms', async () => {
  const user = await server.build.user({ admin: true })
  const team = await server.build.team(user)
  await server.build.setting('user:tcs-required', true)
  await update(user.cookie, { defaultTeam: team.id, tcs_accepted: true })
  await server.app.database.read
    .updateTable('users')
    .set({ password_expired: 1, email_verified: 0 })
    .where('id', '=', user.id)
    .execute()
  expect(await user.client.call('account.get')).toEqual({
    id: user.id,
    username: user.username,
    name: user.username,
    email: `${user.username}@example.com`,
    avatar: expect.any(String),
    createdAt: expect.any(String),
    admin: true,
    suspended: false,
    defaultTeam: team.id,
    email_verified: false,
    password_expired: true,
    tcs_accepted: expect.any(String),
  })
  await server.build.setting('user:tcs-required', false)
})
