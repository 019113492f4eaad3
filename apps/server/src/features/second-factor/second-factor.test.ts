import { expect, test } from 'vitest'
import {
  type Answer,
  cookieOf,
  createFactors,
  openMailServer,
  openServer,
  password,
  send,
  statusesOf,
  testClock,
  type TestUser,
  totp,
} from '../../../testing/index.ts'

const clock = testClock()
const mails = await openMailServer()
const server = await openServer({ clock, config: { mail: mails.mail, trustProxy: ['loopback'] } })
const factors = createFactors(server, clock)

/** A call of the person, from an address of its own. */
let serial = 0
function call(user: TestUser, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { cookie: user.cookie, 'x-forwarded-for': `10.2.0.${(serial += 1)}` }
  return send(server.address, method, `/api/v1/user/mfa${path}`, { headers, body })
}
const mine = (user: TestUser) => user.client.call('secondFactor.get')
const proof = { password }
async function logOf(user: TestUser) {
  const { read } = server.app.database
  const rows = await read.selectFrom('audit_log').selectAll().where('scope_id', '=', user.id).orderBy('id').execute()
  return rows.map(({ event, body }) => [event, JSON.parse(body) as unknown])
}

test('an authenticator app counts once a code of it was given; recovery codes come with it', async () => {
  const user = await server.build.user()
  const { secret, uri } = await user.client.call('secondFactor.startApp', { body: { proof } })
  expect(uri).toContain(`secret=${secret}`)
  expect(await mine(user)).toEqual({ factors: [], recoveryCodes: 0, required: false })
  expect((await factors.step(user)).answer.status).toBe(200)

  const { factor, recoveryCodes } = await user.client.call('secondFactor.confirmApp', {
    body: { code: factors.code(secret) },
  })
  expect(factor).toMatchObject({ kind: 'app', name: 'Authenticator app', lastUsedAt: null })
  expect(recoveryCodes).toHaveLength(10)
  expect(await mine(user)).toEqual({ factors: [factor], recoveryCodes: 10, required: false })
  expect((await factors.step(user)).answer).toMatchObject({ status: 401, json: { code: 'mfa_required' } })
  expect((await logOf(user)).filter(([event]) => event !== 'account.login')).toEqual([
    ['user.second-factor.added', { info: { kind: 'app', name: 'Authenticator app' } }],
    ['user.second-factor.recovery-codes', {}],
  ])
})

test('the database holds neither the secret nor a recovery code', async () => {
  const user = await server.build.user()
  const { secret, recoveryCodes } = await factors.app(user)
  const { read } = server.app.database
  const rows = JSON.stringify([
    await read.selectFrom('second_factors').selectAll().where('user_id', '=', user.id).execute(),
    await read.selectFrom('recovery_codes').selectAll().where('user_id', '=', user.id).execute(),
    await read.selectFrom('audit_log').selectAll().execute(),
  ])
  expect(rows).toMatch(/v2\.[0-9a-f]{16}\./)
  for (const text of [secret, ...recoveryCodes]) expect(rows).not.toContain(text)
})

test('adding and removing end the other sessions of the person, and nobody else’s', async () => {
  const [user, other] = [await server.build.user(), await server.build.user()]
  const elsewhere = async () => {
    const { database, services } = server.app
    const token = await database.transact((tx) => services.sessions.open(tx, user.id, { address: '', userAgent: '' }))
    return { cookie: `sid=${token}` }
  }
  const isOpen = async (headers: { cookie: string }) =>
    (await send(server.address, 'GET', '/api/v1/user', { headers })).status === 200
  const before = await elsewhere()
  const { id } = await factors.app(user)
  expect([await isOpen(before), await isOpen(user), await isOpen(other)]).toEqual([false, true, true])
  const later = await elsewhere()
  await user.client.call('secondFactor.remove', { params: { factorId: id }, body: { proof } })
  expect([await isOpen(later), await isOpen(user)]).toEqual([false, true])
})

test.each(['/app', '/passkeys/options', '/recovery-codes'])('%s asks once more who is there', async (path) => {
  const user = await server.build.user()
  await factors.app(user)
  const wrong = await call(user, 'POST', path, { proof: { password: 'wrong' } })
  expect(wrong).toMatchObject({ status: 400, json: { code: 'invalid_code', fields: { password: expect.any(String) } } })
  expect(await call(user, 'POST', path, { proof: {} })).toMatchObject({
    status: 400,
    json: { code: 'invalid_request' },
  })
  expect(await call(user, 'POST', path, {})).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  expect(await call(user, 'POST', path, { proof: { code: '000000' } })).toMatchObject({ status: 400 })
  expect((await call(user, 'POST', path, { proof })).status).toBe(200)
})

test('a code of the app proves who asks, and counts once', async () => {
  const user = await server.build.user()
  const { secret } = await factors.app(user)
  const code = factors.code(secret)
  expect((await call(user, 'POST', '/recovery-codes', { proof: { code } })).status).toBe(200)
  expect(await call(user, 'POST', '/recovery-codes', { proof: { code } })).toMatchObject({
    status: 400,
    json: { code: 'invalid_code', fields: { code: expect.any(String) } },
  })
})

test('the code that confirmed an app does not sign in with it', async () => {
  const user = await server.build.user()
  const { secret } = await factors.app(user)
  const { headers } = await factors.step(user)
  expect((await factors.answer(headers, { code: totp(secret, clock.now()) })).status).toBe(400)
})

test('a wrong code, a late one and one of a former secret confirm nothing', async () => {
  const user = await server.build.user()
  expect((await call(user, 'PUT', '/app', { code: '123456' })).json.code).toBe('invalid_code')
  const { secret: former } = await user.client.call('secondFactor.startApp', { body: { proof } })
  const { secret } = await user.client.call('secondFactor.startApp', { body: { proof } })
  for (const code of ['000000', 'x', totp(former, clock.now())])
    expect((await call(user, 'PUT', '/app', { code })).json.code).toBe('invalid_code')
  clock.turn(15 * 60_000)
  expect((await call(user, 'PUT', '/app', { code: totp(secret, clock.now()) })).json.code).toBe('invalid_code')
  expect((await mine(user)).factors).toEqual([])
})

test('a new app replaces the former one, which counts until then', async () => {
  const user = await server.build.user()
  const first = await factors.app(user)
  const { secret } = await user.client.call('secondFactor.startApp', { body: { proof } })
  const step = await factors.step(user)
  expect((await factors.answer(step.headers, { code: factors.code(first.secret) })).status).toBe(200)
  // Signing in again does not end the session with which the new one is confirmed.
  const added = await user.client.call('secondFactor.confirmApp', { body: { code: factors.code(secret) } })
  expect(added.recoveryCodes).toBeUndefined()
  expect((await mine(user)).factors.map(({ id }) => id)).toEqual([added.factor.id])
  const { headers } = await factors.step(user)
  expect((await factors.answer(headers, { code: factors.code(first.secret) })).status).toBe(400)
  expect((await factors.answer(headers, { code: factors.code(secret) })).status).toBe(200)
})

test('one of two confirmations made at once counts', async () => {
  const user = await server.build.user()
  const { secret } = await user.client.call('secondFactor.startApp', { body: { proof } })
  const code = factors.code(secret)
  const both = await Promise.all([call(user, 'PUT', '/app', { code }), call(user, 'PUT', '/app', { code })])
  expect(statusesOf(both)).toEqual([200, 400])
})

test('with the last factor go the recovery codes, and the password alone signs in again', async () => {
  const user = await server.build.user()
  const { id, recoveryCodes } = await factors.app(user)
  const { headers } = await factors.step(user)
  await user.client.call('secondFactor.remove', { params: { factorId: id }, body: { proof } })
  expect(await mine(user)).toMatchObject({ factors: [], recoveryCodes: 0 })
  expect((await logOf(user)).at(-1)).toEqual([
    'user.second-factor.removed',
    { info: { kind: 'app', name: 'Authenticator app' } },
  ])
  expect((await factors.answer(headers, { code: recoveryCodes[0] })).status).toBe(400)
  expect((await factors.step(user)).answer.status).toBe(200)
})

test('nobody removes the factor of another, whatever they prove', async () => {
  const [user, other] = [await server.build.user(), await server.build.user()]
  const { id } = await factors.app(user)
  expect(await call(other, 'POST', `/${id}/remove`, { proof })).toMatchObject({ status: 404 })
  expect(await call(user, 'POST', `/${id}/remove`, { proof: { password: 'wrong' } })).toMatchObject({ status: 400 })
  expect((await mine(user)).factors).toHaveLength(1)
})

test('new recovery codes replace the old ones, and nobody has any without a factor', async () => {
  const user = await server.build.user()
  expect((await call(user, 'POST', '/recovery-codes', { proof })).json.code).toBe('invalid_request')
  const before = (await factors.app(user)).recoveryCodes
  const { recoveryCodes } = await user.client.call('secondFactor.recoveryCodes', { body: { proof } })
  expect(recoveryCodes).toHaveLength(10)
  const { headers } = await factors.step(user)
  expect((await factors.answer(headers, { code: before[0] })).status).toBe(400)
  expect((await factors.answer(headers, { code: recoveryCodes[0] })).status).toBe(200)
})

test('guesses at the password in a proof are counted by their session, and close neither others nor the sign-in', async () => {
  const user = await server.build.user()
  const guess = () => call(user, 'POST', '/app', { proof: { password: 'wrong' } })
  for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(400)
  expect(await guess()).toMatchObject({ status: 429, json: { code: 'too_many_requests' } })
  const other = await factors.step(user)
  expect(other.answer.status).toBe(200)
  const cookie = `sid=${cookieOf(other.answer, 'sid')}`
  expect((await call({ ...user, cookie }, 'POST', '/app', { proof })).status).toBe(200)
})

test('whoever has an account hears by mail of every change of its factors, also of one by an administrator', async () => {
  const user = await server.build.user()
  const to = `${user.username}@example.com`
  const heard: string[] = []
  const next = async () => {
    const { parsed } = await mails.to(to, heard.length + 1)
    heard.push(parsed.subject ?? '')
    return parsed.text ?? ''
  }
  const { recoveryCodes } = await factors.app(user)
  expect(await next()).toContain('An authenticator app was added')
  const { id } = await factors.passkey(user)
  expect(await next()).toContain('with the name “Key”')
  expect((await call(user, 'POST', `/${id}/remove`, { proof })).status).toBe(200)
  expect(await next()).toContain('Your other second factors still work.')
  const { headers } = await factors.step(user)
  expect((await factors.answer(headers, { code: recoveryCodes[0] })).status).toBe(200)
  expect(await next()).toContain('9 of them are left')
  expect((await call(user, 'POST', '/recovery-codes', { proof })).status).toBe(200)
  expect(await next()).toContain('The former ones no longer work')
  const admin = await server.build.user({ admin: true })
  await admin.client.call('secondFactor.reset', { params: { userId: user.id } })
  expect(await next()).toContain('Your password alone signs you in until you add one again.')
  expect(heard).toEqual([
    'A second factor was added',
    'A second factor was added',
    'A second factor was removed',
    'A recovery code signed you in',
    'New recovery codes were created',
    'Your second factors were removed',
  ])
  expect(JSON.stringify(mails.received)).not.toContain(recoveryCodes[1])
})

test('three wrong codes after the right password are mailed to the person, once', async () => {
  const user = await server.build.user()
  const to = `${user.username}@example.com`
  const { secret } = await factors.app(user)
  await mails.to(to, 1)
  const { headers } = await factors.step(user, '10.200.0.9')
  const wrong = () => factors.answer(headers, { code: '000000' })
  const heard = () => mails.received.filter((mail) => mail.to.includes(to)).length
  for (let n = 0; n < 2; n += 1) expect((await wrong()).json.code).toBe('invalid_code')
  expect(heard()).toBe(1)
  expect((await wrong()).json.code).toBe('invalid_code')
  const { parsed } = await mails.to(to, 2)
  expect(parsed.subject).toBe('Somebody has entered your password')
  expect(parsed.text).toContain('3 times a wrong code for your second factor, most recently from 10.200.0.9')
  expect((await wrong()).json.code).toBe('invalid_code')
  // Any further mail would have come before the one of the new codes.
  await factors.answer(headers, { code: factors.code(secret) })
  await call(user, 'POST', '/recovery-codes', { proof })
  expect((await mails.to(to, 3)).parsed.subject).toBe('New recovery codes were created')
  expect(heard()).toBe(3)
})
