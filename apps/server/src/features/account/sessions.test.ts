import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { cookieOf, openServer, password, send, startServer, testClock, withSlowHashes } from '../../../testing/index.ts'

const hour = 3_600_000
const clock = testClock()
const server = await openServer({ clock })

const call = (method: string, path: string, cookie: string, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie }, body })
const statusOf = async (cookie: string) => (await call('GET', '/api/v1/user', cookie)).status
async function signIn(username: string, headers: Record<string, string> = {}) {
  const answer = await send(server.address, 'POST', '/account/login', { body: { username, password }, headers })
  return { answer, token: cookieOf(answer, 'sid')!, cookie: `sid=${cookieOf(answer, 'sid')}` }
}
async function lock(id: string, change: { password_expired: 1 } | { email_verified: 0 }) {
  await server.app.database.read.updateTable('users').set(change).where('id', '=', id).execute()
}

test('the cookie on plain HTTP: HttpOnly, SameSite=Lax, whole site, seven days, not Secure', async () => {
  const { answer } = await signIn((await server.build.user()).username)
  const [name, ...attributes] = answer.headers.getSetCookie()[0]!.split('; ')
  expect(name).toMatch(/^sid=ffs_[\w-]{43}$/)
  expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax'])
})

test('the cookie under TLS: Secure with the __Host- prefix, and no other name counts', async () => {
  const tls = await startServer({
    config: { baseUrl: 'https://forge.example.com', instanceDomain: 'forge.example.com' },
  })
  const { username } = await tls.build.user()
  const answer = await send(tls.address, 'POST', '/account/login', { body: { username, password } })
  const line = answer.headers.getSetCookie()[0]!
  expect(line).toMatch(/^__Host-sid=ffs_/)
  expect(line.split('; ')).toEqual(expect.arrayContaining(['Secure', 'Path=/', 'HttpOnly', 'SameSite=Lax']))
  expect(line).not.toContain('Domain')
  const token = cookieOf(answer, '__Host-sid')
  const as = (cookie: string) => send(tls.address, 'GET', '/api/v1/user', { headers: { cookie } })
  expect((await as(`__Host-sid=${token}`)).status).toBe(200)
  expect((await as(`sid=${token}`)).status).toBe(401)
  expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
  await tls.close()
})

test('the database holds the hash of a session and nothing to sign in with', async () => {
  const { token } = await signIn((await server.build.user()).username)
  const rows = await server.app.database.read.selectFrom('sessions').selectAll().execute()
  expect(rows.map((row) => row.token_hash)).toContain(createHash('sha256').update(token).digest('hex'))
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('every sign-in makes a new session and ends the one it was made with', async () => {
  const { username } = await server.build.user()
  const first = await signIn(username)
  const second = await signIn(username, { cookie: first.cookie })
  expect(second.token).not.toBe(first.token)
  expect([await statusOf(first.cookie), await statusOf(second.cookie)]).toEqual([401, 200])
})

test('[API-14] a sign-out ends the session for good, and answers without one too', async () => {
  const { cookie } = await signIn((await server.build.user()).username)
  const answer = await call('POST', '/account/logout', cookie)
  expect([answer.status, answer.json, cookieOf(answer, 'sid')]).toEqual([200, { status: 'okay' }, ''])
  expect(await statusOf(cookie)).toBe(401)
  expect((await send(server.address, 'POST', '/account/logout')).json).toEqual({ status: 'okay' })
})

test('a session ends after 32 idle hours, and after 7 days however much it is used', async () => {
  const { username } = await server.build.user()
  const [idle, used] = [await signIn(username), await signIn(username)]
  clock.turn(31 * hour)
  expect(await statusOf(used.cookie)).toBe(200)
  clock.turn(hour)
  expect([await statusOf(idle.cookie), await statusOf(used.cookie)]).toEqual([401, 200])
  for (let hours = 32; hours < 160; hours += 16) {
    clock.turn(16 * hour)
    expect(await statusOf(used.cookie)).toBe(200)
  }
  clock.turn(8 * hour - 1)
  expect(await statusOf(used.cookie)).toBe(200)
  clock.turn(1)
  expect(await statusOf(used.cookie)).toBe(401)
})

test("a user lists the own sessions and ends any of them; others' are not there", async () => {
  const [user, other] = [await server.build.user(), await server.build.user()]
  const { cookie } = await signIn(user.username, { 'user-agent': 'Phone' })
  const { count, sessions } = (await call('GET', '/api/v1/user/sessions', cookie)).json as {
    count: number
    sessions: Record<string, unknown>[]
  }
  expect(count).toBe(2)
  expect(sessions).toMatchObject([
    { current: true, userAgent: 'Phone' },
    { current: false, userAgent: 'test' },
  ])
  const foreign = `/api/v1/user/sessions/${String(sessions[1]?.id)}`
  expect((await call('DELETE', foreign, other.cookie)).status).toBe(404)
  expect(await statusOf(user.cookie)).toBe(200)
  expect((await call('DELETE', foreign, cookie)).json).toEqual({ status: 'okay' })
  expect(await statusOf(user.cookie)).toBe(401)
  expect((await call('DELETE', foreign, cookie)).status).toBe(404)
  const event = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '=', 'user.session.revoked')
    .execute()
  expect(event).toMatchObject([{ scope_type: 'user', scope_id: user.id, trigger_id: user.id, address: '127.0.0.1' }])
})

test('[API-18] a new password ends all other sessions and unlocks an expired one', async () => {
  const user = await server.build.user()
  const { cookie } = await signIn(user.username)
  await lock(user.id, { password_expired: 1 })
  const change = (old_password: string, next: string) =>
    call('PUT', '/api/v1/user/change_password', cookie, { old_password, password: next })
  expect(await change('wrong', 'another password')).toMatchObject({
    status: 400,
    json: { code: 'password_change_failed' },
  })
  const short = await change(password, 'short')
  expect(short).toMatchObject({ status: 400, json: { code: 'password_change_failed', message: 'Password too short' } })
  expect(await statusOf(user.cookie)).toBe(200)
  expect((await change(password, 'another password')).json).toEqual({ status: 'okay' })
  expect([await statusOf(user.cookie), await statusOf(cookie)]).toEqual([401, 200])
  expect((await call('GET', '/api/v1/user', cookie)).json).not.toHaveProperty('password_expired')
  const again = await send(server.address, 'POST', '/account/login', {
    body: { username: user.username, password: 'another password' },
  })
  expect(again.status).toBe(200)
  const { event, body } = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('scope_id', '=', user.id)
    .where('event', '=', 'user.updated-password')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect([event, body]).toEqual(['user.updated-password', '{}'])
})

test('a sign-in with the old password does not outlive the change that it overtakes', async () => {
  const user = await server.build.user()
  const sent = { old_password: password, password: 'another password' }
  const signIns: ReturnType<typeof signIn>[] = []
  // Checks of passwords wait for each other, so the sign-in reads the old one and is judged after the change.
  await withSlowHashes(async () => {
    const change = call('PUT', '/api/v1/user/change_password', user.cookie, sent)
    const over = change.then(() => true)
    while (!(await Promise.race([over, new Promise<false>((go) => setTimeout(go, 5, false))])))
      signIns.push(signIn(user.username))
    expect((await change).status).toBe(200)
  })
  expect(signIns.length).toBeGreaterThan(0)
  for (const { cookie } of await Promise.all(signIns)) expect(await statusOf(cookie)).toBe(401)
  // The refused ones count as guesses from this address for a quarter of an hour.
  clock.turn(hour)
})

test.each([{ password_expired: 1 } as const, { email_verified: 0 } as const])(
  'a session locked by %o reaches only what takes it out of the gate',
  async (change) => {
    const user = await server.build.user()
    await lock(user.id, change)
    const status = async (method: string, path: string, body?: unknown) =>
      (await call(method, path, user.cookie, body)).status
    expect(await status('GET', '/api/v1/user')).toBe(200)
    expect(await status('GET', '/api/v1/settings')).toBe(200)
    expect(await status('POST', '/account/verify')).toBe(400)
    expect(await status('PUT', '/api/v1/user/change_password', { old_password: 'wrong', password })).toBe(400)
    expect(await status('PUT', '/api/v1/user', { name: 'Eve' })).toBe(401)
    expect(await status('GET', '/api/v1/user/teams')).toBe(401)
    expect(await status('GET', '/api/v1/user/sessions')).toBe(401)
    expect(await status('POST', '/account/logout')).toBe(200)
  },
)

test('all other sessions end at once, the one that asks stays, and so do those of others', async () => {
  const [user, other] = [await server.build.user(), await server.build.user()]
  const [first, second] = [await signIn(user.username), await signIn(user.username)]
  expect((await call('DELETE', '/api/v1/user/sessions', second.cookie)).json).toEqual({ status: 'okay' })
  const statuses = [user.cookie, first.cookie, second.cookie, other.cookie].map(statusOf)
  expect(await Promise.all(statuses)).toEqual([401, 401, 200, 200])
  const revoked = () =>
    server.app.database.read
      .selectFrom('audit_log')
      .selectAll()
      .where('event', '=', 'user.session.revoked')
      .where('scope_id', '=', user.id)
      .execute()
  expect(await revoked()).toHaveLength(1)
  // There is nothing left to end, and nothing to record.
  expect((await call('DELETE', '/api/v1/user/sessions', second.cookie)).status).toBe(200)
  expect(await revoked()).toHaveLength(1)
})

test('a session is shown with the device in words, its address and when it was last used', async () => {
  const { username } = await server.build.user()
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const { cookie } = await signIn(username, { 'user-agent': userAgent })
  clock.turn(hour)
  const { sessions } = (await call('GET', '/api/v1/user/sessions', cookie)).json as { sessions: object[] }
  expect(sessions[0]).toMatchObject({
    device: 'Firefox on Linux',
    address: '127.0.0.1',
    userAgent,
    lastSeenAt: new Date(clock.now()).toISOString(),
  })
})

test('a new password has to be another one, and none that everybody guesses', async () => {
  const { cookie } = await server.build.user()
  const change = (next: string) =>
    call('PUT', '/api/v1/user/change_password', cookie, { old_password: password, password: next })
  for (const next of [password, 'password1', 'iloveyou', 'x'.repeat(7)]) {
    expect(await change(next)).toMatchObject({
      status: 400,
      json: { code: 'password_change_failed', fields: { password: expect.stringMatching(/password/i) } },
    })
  }
  expect((await change('x'.repeat(1025))).json.code).toBe('invalid_request')
})
