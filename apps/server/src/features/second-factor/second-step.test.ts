import { expect, test } from 'vitest'
import {
  cookieOf,
  createFactors,
  openServer,
  password,
  send,
  startServer,
  statusesOf,
  testClock,
  totp,
} from '../../../testing/index.ts'

const clock = testClock()
const minute = 60_000
const server = await openServer({ clock, config: { trustProxy: ['loopback'] } })
const factors = createFactors(server, clock)

const whoIs = (cookie: string) => send(server.address, 'GET', '/api/v1/user', { headers: { cookie } })
const describeStep = (headers: Record<string, string>) =>
  send(server.address, 'POST', '/account/login/challenge', { headers })

test('the password opens a step and no session; a code of the app opens the session', async () => {
  const user = await server.build.user()
  const { secret } = await factors.app(user)
  const { answer, cookie, headers } = await factors.step(user)
  expect(answer).toMatchObject({ status: 401, json: { code: 'mfa_required' } })
  expect(cookieOf(answer, 'sid')).toBeUndefined()
  expect(answer.headers.getSetCookie().join()).toMatch(/^step=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/)
  for (const name of ['sid', 'step']) expect((await whoIs(`${name}=${cookie}`)).status).toBe(401)
  expect((await describeStep(headers)).json).toEqual({ methods: ['app', 'recovery'] })

  const done = await factors.answer(headers, { code: factors.code(secret) })
  expect([done.status, done.text]).toEqual([200, ''])
  expect(cookieOf(done, 'step')).toBe('')
  expect((await whoIs(`sid=${cookieOf(done, 'sid')}`)).json).toMatchObject({ username: user.username })
})

test('a code counts once, for all steps of the person, also when two answer at once', async () => {
  const user = await server.build.user()
  const { secret } = await factors.app(user)
  const [one, two] = [await factors.step(user), await factors.step(user)]
  const code = factors.code(secret)
  const answers = await Promise.all([one, two].map(({ headers }) => factors.answer(headers, { code })))
  expect(statusesOf(answers)).toEqual([200, 400])
  const open = answers[0]?.status === 200 ? two : one
  expect((await factors.answer(open.headers, { code })).json.code).toBe('invalid_code')
  // Nor does an earlier one count once a later one was used.
  const earlier = totp(secret, clock.now() + 30_000)
  expect((await factors.answer(open.headers, { code: factors.code(secret) })).status).toBe(200)
  const { headers } = await factors.step(user)
  expect((await factors.answer(headers, { code: earlier })).status).toBe(400)
})

test('a step is answered once, ends after ten minutes, and with a change of the password', async () => {
  const user = await server.build.user()
  const { secret } = await factors.app(user)
  const { headers } = await factors.step(user)
  expect((await factors.answer(headers, { code: factors.code(secret) })).status).toBe(200)
  expect((await factors.answer(headers, { code: factors.code(secret) })).status).toBe(401)

  const late = await factors.step(user)
  clock.turn(10 * minute)
  expect((await factors.answer(late.headers, { code: factors.code(secret) })).status).toBe(401)
  expect((await describeStep(late.headers)).status).toBe(401)

  const before = await factors.step(user)
  const next = 'another horse battery'
  await user.client.call('account.changePassword', { body: { old_password: password, password: next } })
  expect((await factors.answer(before.headers, { code: factors.code(secret) })).status).toBe(401)
})

test('a reset of the password does not stand in for the factor', async () => {
  const user = await server.build.user()
  const { secret } = await factors.app(user)
  const before = await factors.step(user)
  const admin = await server.build.user({ admin: true })
  await server.build.setting('user:reset-password', true)
  const { url } = await admin.client.call('user.makeLink', {
    params: { userId: user.id },
    body: { purpose: 'reset-password' },
  })
  const next = 'a brand new horse battery'
  const reset = await send(server.address, 'POST', `/account/reset_password/${url.split('/').at(-1)}`, {
    body: { password: next },
  })
  expect([reset.status, cookieOf(reset, 'sid'), cookieOf(reset, 'step')]).toEqual([200, undefined, undefined])
  expect((await factors.answer(before.headers, { code: factors.code(secret) })).status).toBe(401)
  const headers = { 'x-forwarded-for': '192.0.2.44' }
  const signIn = await send(server.address, 'POST', '/account/login', {
    headers,
    body: { username: user.username, password: next },
  })
  expect(signIn).toMatchObject({ status: 401, json: { code: 'mfa_required' } })
  const step = { ...headers, cookie: `step=${cookieOf(signIn, 'step')}` }
  expect((await factors.answer(step, { code: '000000' })).status).toBe(400)
  expect((await factors.answer(step, { code: factors.code(secret) })).status).toBe(200)
})

test('without a step, or with a false one, there is nothing to answer', async () => {
  for (const headers of [{}, { cookie: 'step=ffs2_no' }, { cookie: 'step=' }] as Record<string, string>[]) {
    const answer = await send(server.address, 'POST', '/account/login/token', { headers, body: { code: '123456' } })
    expect(answer).toMatchObject({ status: 401, json: { code: 'unauthorized' } })
    expect((await describeStep(headers)).status).toBe(401)
  }
})

test('the step of one is not answered by the factor of another', async () => {
  const [user, other] = [await server.build.user(), await server.build.user()]
  await factors.app(user)
  const foreign = await factors.app(other)
  const { headers } = await factors.step(user)
  expect((await factors.answer(headers, { code: factors.code(foreign.secret) })).status).toBe(400)
  expect((await factors.answer(headers, { code: foreign.recoveryCodes[0] })).status).toBe(400)
  expect((await other.client.call('secondFactor.get')).recoveryCodes).toBe(10)
})

test('a recovery code signs in once, however it is typed, and the log tells how many are left', async () => {
  const user = await server.build.user()
  const { recoveryCodes } = await factors.app(user)
  const [first = ''] = recoveryCodes
  const { headers } = await factors.step(user)
  expect((await factors.answer(headers, { code: ` ${first.toUpperCase().replaceAll('-', ' ')} ` })).status).toBe(200)
  const again = await factors.step(user)
  expect((await factors.answer(again.headers, { code: first })).status).toBe(400)
  const used = await server.app.database.read
    .selectFrom('audit_log')
    .select('body')
    .where('scope_id', '=', user.id)
    .where('event', '=', 'user.second-factor.recovery-code-used')
    .execute()
  expect(used.map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ info: { left: 9 } }])
})

test('five wrong codes close the second step for 15 minutes, wherever they come from, and a right one too', async () => {
  const user = await server.build.user()
  const { secret, recoveryCodes } = await factors.app(user)
  for (let i = 0; i < 5; i++) {
    const { headers } = await factors.step(user)
    expect((await factors.answer(headers, { code: '000000' })).status).toBe(400)
  }
  const { headers } = await factors.step(user)
  for (const code of [totp(secret, clock.now() + 30_000), recoveryCodes[0]])
    expect(await factors.answer(headers, { code })).toMatchObject({ status: 429, json: { code: 'too_many_requests' } })
  clock.turn(15 * minute)
  const later = await factors.step(user)
  expect((await factors.answer(later.headers, { code: factors.code(secret) })).status).toBe(200)
})

test('guesses made at once are counted before they are judged', async () => {
  const user = await server.build.user()
  await factors.app(user)
  const { headers } = await factors.step(user)
  const answers = await Promise.all(Array.from({ length: 12 }, () => factors.answer(headers, { code: '000000' })))
  expect(statusesOf(answers).filter((status) => status === 400)).toHaveLength(5)
  expect(statusesOf(answers).filter((status) => status === 429)).toHaveLength(7)
})

test('a wrong factor after a right password stands in the log', async () => {
  const user = await server.build.user()
  await factors.app(user)
  const { headers } = await factors.step(user, '192.0.2.9')
  await factors.answer(headers, { code: '000000' })
  const entry = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('scope_id', '=', user.id)
    .where('event', '=', 'account.login')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect(entry).toMatchObject({ address: '192.0.2.9' })
  expect(JSON.parse(entry.body)).toMatchObject({
    user: { username: user.username },
    error: { code: 'invalid_code' },
  })
})

test('whoever is suspended between the steps does not get in', async () => {
  const user = await server.build.user()
  const { secret } = await factors.app(user)
  const { headers } = await factors.step(user)
  await server.app.database.read.updateTable('users').set({ suspended: 1 }).where('id', '=', user.id).execute()
  expect(await factors.answer(headers, { code: factors.code(secret) })).toMatchObject({
    status: 403,
    json: { code: 'user_suspended' },
  })
})

test.each([{}, { code: '' }, { code: 'x'.repeat(65) }, { code: 123_456 }, { code: ['1'] }, { passkey: {} }])(
  'a malformed answer is refused and counts for nothing (%#)',
  async (body) => {
    const user = await server.build.user()
    await factors.app(user)
    const { headers } = await factors.step(user)
    expect([400]).toContain((await factors.answer(headers, body)).status)
    expect(await whoIs(headers.cookie ?? '')).toMatchObject({ status: 401 })
  },
)

test('the cookie of a step under TLS has the __Host- prefix, and the proxy keeps it from instances', async () => {
  const tls = await startServer({
    clock,
    config: { trustProxy: ['loopback'], baseUrl: 'https://forge.example.com', instanceDomain: 'apps.example.com' },
  })
  const user = await tls.build.user()
  await createFactors(tls, clock).app(user)
  const { answer } = await createFactors(tls, clock).step(user)
  const [line = ''] = answer.headers.getSetCookie()
  expect(line).toMatch(/^__Host-step=ffs2_/)
  expect(line.split('; ')).toEqual(expect.arrayContaining(['Secure', 'Path=/', 'HttpOnly', 'SameSite=Strict']))
  expect(tls.app.cookies).toEqual([
    '__Host-sid',
    '__Host-browser',
    '__Host-step',
    '__Host-sign-in',
    '__Host-sso',
    '__Host-sso-link',
  ])
  await tls.close()
})

test('an answer from another site is refused', async () => {
  const user = await server.build.user()
  const { secret } = await factors.app(user)
  const { headers } = await factors.step(user)
  const answer = await factors.answer({ ...headers, origin: 'https://evil.example' }, { code: factors.code(secret) })
  expect(answer).toMatchObject({ status: 403, json: { code: 'cross_origin' } })
})
