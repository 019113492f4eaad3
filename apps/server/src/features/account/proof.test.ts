import { expect, test } from 'vitest'
import { openMailServer, openServer, password, send, testClock, type TestUser } from '../../../testing/index.ts'

const minute = 60_000
const clock = testClock()
const mails = await openMailServer()
const server = await openServer({ clock, config: { mail: mails.mail } })

const call = (user: TestUser, method: string, path: string, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie: user.cookie }, body })
const prove = (user: TestUser, proof: object) => call(user, 'POST', '/api/v1/user/proof', { proof })
const asked = { status: 403, json: { code: 'proof_required' } }

const calls: [string, string, object?][] = [
  ['DELETE', '/api/v1/user/sessions'],
  ['PUT', '/api/v1/user', { email: 'else@example.com' }],
  ['POST', '/account/email_change', { email: 'else@example.com' }],
  ['DELETE', '/api/v1/user'],
]

test.each(calls)('%s %s asks once more who is there when the session is a quarter of an hour old', async (...input) => {
  const user = await server.build.user()
  clock.turn(15 * minute)
  expect(await call(user, ...input)).toMatchObject(asked)
  expect((await call(user, 'GET', '/api/v1/user')).json).not.toHaveProperty('pendingEmailChange')
  expect(await prove(user, { password: 'a wrong one' })).toMatchObject({ status: 400, json: { code: 'invalid_code' } })
  expect(await call(user, ...input)).toMatchObject(asked)
  expect((await prove(user, { password })).json).toEqual({ status: 'okay' })
  expect((await call(user, ...input)).status).toBe(200)
})

test('a proof counts for a quarter of an hour, in its session alone; the rest of the profile asks for none', async () => {
  const user = await server.build.user()
  const other = { ...user, cookie: await signIn(user) }
  clock.turn(15 * minute)
  expect(
    (await call(user, 'PUT', '/api/v1/user', { name: 'Somebody', email: `${user.username}@example.com` })).status,
  ).toBe(200)
  expect((await prove(user, { password })).status).toBe(200)
  expect(await call(other, 'DELETE', '/api/v1/user/sessions')).toMatchObject(asked)
  clock.turn(15 * minute - 1)
  expect((await call(user, 'DELETE', '/api/v1/user/sessions')).status).toBe(200)
  clock.turn(1)
  expect(await call(user, 'DELETE', '/api/v1/user/sessions')).toMatchObject(asked)
})

test('ending one of the other sessions asks as well, ending the own one does not', async () => {
  const user = await server.build.user()
  const other = { ...user, cookie: await signIn(user) }
  const { sessions } = await user.client.call('account.sessions')
  const [own, another] = [true, false].map((is) => sessions.find(({ current }) => current === is)!.id)
  clock.turn(15 * minute)
  expect(await call(user, 'DELETE', `/api/v1/user/sessions/${another}`)).toMatchObject(asked)
  expect((await call(other, 'GET', '/api/v1/user')).status).toBe(200)
  expect((await call(user, 'DELETE', `/api/v1/user/sessions/${own}`)).status).toBe(200)
})

test('a personal token cannot show who is there, so it ends no session and changes no address, whatever its scopes', async () => {
  const user = await server.build.user()
  const other = { ...user, cookie: await signIn(user) }
  const { token } = await user.client.call('tokens.create', {
    body: { name: 'Script', scopes: ['user:read', 'user:edit', 'user:delete'], expiresAt: null },
  })
  const { sessions } = await user.client.call('account.sessions')
  const byToken = (method: string, path: string, body?: unknown) =>
    send(server.address, method, path, { headers: { authorization: `Bearer ${token}` }, body })
  const all: typeof calls = [...calls, ['DELETE', `/api/v1/user/sessions/${sessions[0]!.id}`]]
  for (const input of all) expect([input, (await byToken(...input)).status]).toEqual([input, 403])
  expect(await byToken('PUT', '/api/v1/user', { email: 'else@example.com' })).toMatchObject(asked)
  const before = await user.client.call('account.get')
  expect(before).not.toHaveProperty('pendingEmailChange')
  expect((await call(other, 'GET', '/api/v1/user')).status).toBe(200)
  expect((await byToken('PUT', '/api/v1/user', { name: 'By a script', email: before.email })).status).toBe(200)
})

test('an administrator is asked as well before their own address changes by the page of users', async () => {
  const [admin, user] = [await server.build.user({ admin: true }), await server.build.user()]
  clock.turn(15 * minute)
  const change = (id: string) => call(admin, 'PUT', `/api/v1/users/${id}`, { email: `new-${id}@example.com` })
  expect(await change(admin.id)).toMatchObject(asked)
  expect((await change(user.id)).status).toBe(200)
})

test('an administrator ends all sessions of somebody, who may sign in again, and the log keeps it', async () => {
  const [admin, user] = [await server.build.user({ admin: true }), await server.build.user()]
  const another = { ...user, cookie: await signIn(user) }
  const end = (as: TestUser, id: string) => call(as, 'DELETE', `/api/v1/users/${id}/sessions`)
  expect((await end(another, user.id)).status).toBe(403)
  expect((await end(admin, 'nobody')).status).toBe(404)
  expect(await end(admin, admin.id)).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  expect((await end(admin, user.id)).json).toEqual({ status: 'okay' })
  for (const one of [user, another]) expect((await call(one, 'GET', '/api/v1/user')).status).toBe(401)
  expect((await call({ ...user, cookie: await signIn(user) }, 'GET', '/api/v1/user')).status).toBe(200)
  const entries = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '=', 'users.sessions-ended')
    .execute()
  expect(entries).toMatchObject([{ scope_id: user.id, trigger_id: admin.id }])
  expect(JSON.parse(entries[0]!.body)).toMatchObject({ user: { username: user.username } })
})

async function signIn({ username }: TestUser): Promise<string> {
  const answer = await send(server.address, 'POST', '/account/login', { body: { username, password } })
  return answer.headers.getSetCookie()[0]!.split(';')[0]!
}
