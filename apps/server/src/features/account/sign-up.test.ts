import { beforeEach, expect, test } from 'vitest'
import {
  hashesOf,
  openMailServer,
  openServer,
  password,
  send,
  startServer,
  statusesOf,
  testClock,
  tokenIn,
} from '../../../testing/index.ts'

const hour = 3_600_000
const clock = testClock()
const mails = await openMailServer()
const server = await openServer({ clock, config: { mail: mails.mail, trustProxy: ['loopback'] } })
beforeEach(async () => {
  await server.build.setting('user:signup', true)
  await server.build.setting('user:tcs-required', false)
})

let serial = 0
/** From an address of its own, so that no test uses up another's tries. */
function post(path: string, body?: unknown, headers: Record<string, string> = {}) {
  const from = { 'x-forwarded-for': `10.1.${(serial += 1) >> 8}.${serial & 255}` }
  return send(server.address, 'POST', path, { body, headers: { ...from, ...headers } })
}
const register = (body: object) => post('/account/register', { password, ...body })
const person = (name: string) => ({ username: name, email: `${name}@example.com` })
const users = () => server.app.database.read.selectFrom('users').selectAll().orderBy('id')
const events = (userId: string) =>
  server.app.database.read.selectFrom('audit_log').selectAll().where('scope_id', '=', userId).orderBy('id').execute()
async function signIn(username: string) {
  const answer = await post('/account/login', { username, password })
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}
const me = async (cookie: string) => (await send(server.address, 'GET', '/api/v1/user', { headers: { cookie } })).json

test('[API-12] [SIGNUP-18] a person signs up: the record of a user whose address is not verified, and no cookie', async () => {
  const answer = await register({ ...person('ada'), name: 'Ada', code: 'spring', join_reason: 'business' })
  expect([answer.status, answer.json, answer.headers.getSetCookie()]).toEqual([
    200,
    {
      id: expect.any(String),
      ...person('ada'),
      name: 'Ada',
      avatar: expect.any(String),
      admin: false,
      suspended: false,
      email_verified: false,
      createdAt: expect.any(String),
    },
    [],
  ])
  const [entry] = await events(String(answer.json.id))
  expect(entry).toMatchObject({ event: 'account.register', trigger_id: answer.json.id, scope_type: 'user' })
  expect(JSON.parse(entry!.body)).toMatchObject({ user: { username: 'ada', email: 'ada@example.com' } })
})

test('[SIGNUP-19] without a full name it is the user name', async () => {
  expect((await register(person('nameless'))).json.name).toBe('nameless')
  expect((await register({ ...person('blank'), name: '' })).json.name).toBe('blank')
})

test('[ACCT-39] [API-20] [SHELL-02] the mailed link verifies the address without a session, by a POST alone, and once', async () => {
  await register(person('grace'))
  const cookie = await signIn('grace')
  expect(await me(cookie)).toMatchObject({ email_verified: false })
  const mail = await mails.to('grace@example.com')
  const token = tokenIn(mail)
  expect(mail.parsed.text).toContain(`${server.config.baseUrl}/account/verify/${token}`)
  for (let i = 0; i < 3; i++) await send(server.address, 'GET', `/account/verify/${token}`)
  expect(await me(cookie)).toMatchObject({ email_verified: false })
  const verified = await post(`/account/verify/${token}`, { password })
  expect([verified.json, verified.headers.getSetCookie()]).toEqual([{ status: 'okay' }, []])
  expect(await me(cookie)).toMatchObject({ email_verified: true })
  expect(await post(`/account/verify/${token}`, { password })).toMatchObject({
    status: 400,
    json: { code: 'invalid_request' },
  })
  const recorded = (await events(String((await me(cookie)).id))).map(({ event }) => event)
  expect(recorded).toEqual(['account.register', 'account.login', 'account.verify.verify-token'])
})

test('[ACCT-39] who signed up with the address of somebody else gains nothing when its owner follows the mail', async () => {
  await server.build.setting('user:reset-password', true)
  await register(person('owner'))
  const theirs = await signIn('owner')
  const link = `/account/verify/${tokenIn(await mails.to('owner@example.com'))}`
  expect(await post(link)).toMatchObject({ status: 401, json: { code: 'password_required' } })
  expect(await post(link, { password: 'what the owner thinks it is' })).toMatchObject({
    status: 400,
    json: { code: 'invalid_code', fields: { password: 'This is not your password' } },
  })
  expect(await me(theirs)).toMatchObject({ email_verified: false })

  await post('/account/forgot_password', { email: 'owner@example.com' })
  const reset = tokenIn(await mails.to('owner@example.com', 2))
  const own = 'chosen by the owner of it'
  expect((await post(`/account/reset_password/${reset}`, { password: own })).status).toBe(200)
  expect((await me(theirs)).code).toBe('unauthorized')
  expect((await post(link, { password })).status).toBe(400)
  expect((await post(link, { password: own })).status).toBe(200)
  expect((await post('/account/login', { username: 'owner', password })).status).toBe(401)
})

test('[ACCT-39] the session that a person signed up and in with is as good as the password', async () => {
  await register(person('same'))
  const cookie = await signIn('same')
  const token = tokenIn(await mails.to('same@example.com'))
  expect((await post(`/account/verify/${token}`, undefined, { cookie })).status).toBe(200)
  expect(await me(cookie)).toMatchObject({ email_verified: true })
})

test('who has a link guesses the password ten times with it, and no more', async () => {
  await register(person('guessed'))
  const link = `/account/verify/${tokenIn(await mails.to('guessed@example.com'))}`
  for (let n = 0; n < 10; n++) expect((await post(link, { password: `guess ${n}` })).status).toBe(400)
  expect(await post(link, { password })).toMatchObject({ status: 429, json: { code: 'too_many_requests' } })
})

test('a link that is used twice at once counts once', async () => {
  await register(person('twice'))
  const token = tokenIn(await mails.to('twice@example.com'))
  const answers = await Promise.all([1, 2, 3].map(() => post(`/account/verify/${token}`, { password })))
  expect(statusesOf(answers)).toEqual([200, 400, 400])
})

test('a verification link expires after 48 hours, and is refused in the session of somebody else', async () => {
  await register(person('late'))
  const token = tokenIn(await mails.to('late@example.com'))
  const other = await server.build.user()
  expect((await post(`/account/verify/${token}`, undefined, { cookie: other.cookie })).status).toBe(400)
  clock.turn(48 * hour - 1)
  expect((await post('/account/verify/ffve_nonsense')).json).toMatchObject({ code: 'invalid_request' })
  clock.turn(1)
  expect((await post(`/account/verify/${token}`)).json).toMatchObject({ code: 'invalid_request' })
})

test('[API-09] [API-19] [API-25] whoever is locked out by it has the mail sent again, and the link before stops working', async () => {
  await register(person('again'))
  const first = tokenIn(await mails.to('again@example.com'))
  const cookie = await signIn('again')
  expect((await post('/account/verify', undefined, { cookie })).json).toEqual({ status: 'okay' })
  const second = tokenIn(await mails.to('again@example.com', 2))
  expect((await post(`/account/verify/${first}`)).status).toBe(400)
  expect((await post(`/account/verify/${second}`, undefined, { cookie })).status).toBe(200)
  expect(await post('/account/verify', undefined, { cookie })).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', message: 'The address is verified already' },
  })
  const recorded = (await events(String((await me(cookie)).id))).map(({ event }) => event)
  expect(recorded).toContain('account.verify.request-token')
})

test.each([
  [{ username: 'has space' }, 'invalid_username', 'username'],
  [{ username: 'dot.ted' }, 'invalid_username', 'username'],
  [{ username: 'аda' }, 'invalid_username', 'username'],
  [{ username: 'ａda' }, 'invalid_username', 'username'],
  [{ username: 'Admin' }, 'invalid_username', 'username'],
  [{ username: 'root' }, 'invalid_username', 'username'],
  [{ email: 'abc' }, 'invalid_email', 'email'],
  [{ email: 'a@b@c' }, 'invalid_email', 'email'],
  [{ email: 'a@b.c, x@y.z' }, 'invalid_email', 'email'],
  [{ email: 'a@b.c\r\nBcc: x@y.z' }, 'invalid_email', 'email'],
  [{ email: '"a@b.c"@d.e' }, 'invalid_email', 'email'],
  [{ email: '<a@b.c>' }, 'invalid_email', 'email'],
  [{ email: 'a\u202e@b.c' }, 'invalid_email', 'email'],
  [{ name: 'https://evil.example' }, 'invalid_request', 'name'],
  [{ name: 'x'.repeat(81) }, 'invalid_request', 'name'],
  [{ password: '1234567' }, 'invalid_request', 'password'],
  [{ password: 'x'.repeat(1025) }, 'invalid_request', 'password'],
  [{ password: 'password1' }, 'invalid_request', 'password'],
  [{ username: 'mallory-7', password: 'Mallory-7' }, 'invalid_request', 'password'],
  [{ join_reason: 'curiosity' }, 'invalid_request', 'join_reason'],
])(
  '[API-12] [SIGNUP-12] [SIGNUP-13] [SIGNUP-14] [SIGNUP-15] refused with its field, and nobody is made: %o',
  async (body, code, field) => {
    const before = (await users().execute()).length
    const answer = await register({ ...person('mallory'), ...body })
    expect(answer).toMatchObject({ status: 400, json: { code, fields: { [field]: expect.any(String) } } })
    expect(String(answer.json.error).toLowerCase()).toContain(field)
    expect((await users().execute()).length).toBe(before)
  },
)

test('[SIGNUP-21] [SIGNUP-25] a user name or an address that is taken says so, whatever its case or letter forms', async () => {
  await register({ username: 'Taken', email: 'Taken@Example.com' })
  for (const username of ['taken', 'TAKEN']) {
    const answer = await register({ username, email: 'free@example.com' })
    expect(answer.json).toMatchObject({ code: 'invalid_username', error: expect.stringContaining('username') })
  }
  for (const email of ['taken@example.com', 'TAKEN@EXAMPLE.COM', 'ｔaken@example.com', 'ta\u212aen@example.com']) {
    const answer = await register({ username: 'free-name', email })
    expect(answer.json).toMatchObject({ code: 'invalid_email', error: 'email must be unique' })
  }
})

test('exactly one of the people who sign up at once under one name gets an account', async () => {
  const answers = await Promise.all(
    [1, 2, 3, 4].map((n) => register({ username: 'race', email: `race-${n}@example.com` })),
  )
  expect(statusesOf(answers)).toEqual([200, 400, 400, 400])
  expect(answers.filter(({ json }) => json.code === 'invalid_username')).toHaveLength(3)
})

test('a taken address costs the same work to refuse as a free one to take: the password is hashed in both', async () => {
  await register(person('slow'))
  const taken = await hashesOf(() => register({ username: 'slower', email: 'slow@example.com' }))
  const free = await hashesOf(() => register({ username: 'freer', email: 'free-1@example.com' }))
  expect([taken, free]).toEqual([1, 1])
})

test('[SIGNUP-07] [SIGNUP-17] terms that are required must be accepted; that is remembered', async () => {
  await server.build.setting('user:tcs-required', true)
  expect(await register(person('eve'))).toMatchObject({ status: 400, json: { code: 'tcs_missing' } })
  expect((await register({ ...person('eve'), tcs_accepted: false })).json.code).toBe('tcs_missing')
  const { json } = await register({ ...person('eve'), tcs_accepted: true })
  expect(json.tcs_accepted).toBe(new Date(clock.now()).toISOString())
})

test('with sign-up off nobody signs up', async () => {
  await server.build.setting('user:signup', false)
  expect(await register(person('closed'))).toMatchObject({
    status: 400,
    json: { code: 'user_registration_unavailable' },
  })
})

test('more than five sign-ups of an address in a minute are too many', async () => {
  const from = { 'x-forwarded-for': '192.0.2.99' }
  const once = (n: number) => post('/account/register', { password, ...person(`flood-${n}`) }, from)
  for (let n = 0; n < 5; n++) expect((await once(n)).status).toBe(200)
  const refused = await once(5)
  expect(refused).toMatchObject({ status: 429, json: { code: 'too_many_requests' } })
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  clock.turn(60_000)
  expect((await once(6)).status).toBe(200)
})

test('a team of their own for whoever verified, when the platform gives one', async () => {
  await server.build.teamType()
  await server.build.setting('user:team:auto-create', true)
  await server.build.team(await server.build.user(), 'owl')
  await register({ ...person('Owl'), name: 'Olive Owl' })
  await post(`/account/verify/${tokenIn(await mails.to('Owl@example.com'))}`, { password })
  const cookie = await signIn('owl')
  const { teams } = (await send(server.address, 'GET', '/api/v1/user/teams', { headers: { cookie } })).json
  expect(teams).toMatchObject([{ name: 'Team Olive Owl', slug: 'owl-1', roleName: 'owner' }])
  const recorded = (await events(String((await me(cookie)).id))).map(({ event }) => event)
  expect(recorded).toContain('account.verify.auto-create-team')
  await server.build.setting('user:team:auto-create', false)
})

test('without mail nobody signs up, and who waits for a mail is told why none comes', async () => {
  const silent = await startServer()
  await silent.build.setting('user:signup', true)
  const answer = await send(silent.address, 'POST', '/account/register', { body: { ...person('zoe'), password } })
  expect(answer.json.code).toBe('user_registration_unavailable')
  expect((await silent.build.anonymous.call('settings.get'))['user:signup']).toBe(false)
  const user = await silent.build.user()
  await silent.app.database.read.updateTable('users').set({ email_verified: 0 }).where('id', '=', user.id).execute()
  const again = await send(silent.address, 'POST', '/account/verify', { headers: { cookie: user.cookie } })
  expect(again).toMatchObject({ status: 400, json: { message: expect.stringContaining('mail is not configured') } })
  await silent.close()
})

test('[API-09] each call about an account answers with the body that was chosen for it', async () => {
  await server.build.setting('user:reset-password', true)
  const okay = { status: 'okay' }
  expect((await register(person('bodies'))).json).toMatchObject(person('bodies'))
  const link = tokenIn(await mails.to('bodies@example.com'))
  expect((await post(`/account/verify/${link}`, { password })).json).toEqual(okay)
  const signedIn = await post('/account/login', { username: 'bodies', password })
  expect([signedIn.status, signedIn.text, signedIn.headers.getSetCookie().length]).toEqual([200, '', 2])
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
  const pending = await post('/account/email_change', { email: 'bodies@other.example' }, { cookie })
  expect(pending.json).toEqual({ ...okay, pendingEmailChange: true })
  const change = tokenIn(await mails.to('bodies@other.example'))
  expect((await post(`/account/email_change/${change}`, undefined, { cookie })).json).toEqual(okay)
  const left = await post('/account/logout', undefined, { cookie })
  expect([left.status, left.text]).toEqual([200, '{"status":"okay"}'])
  const forgot = await post('/account/forgot_password', { email: 'bodies@other.example' })
  expect([forgot.status, forgot.text]).toEqual([200, '{}'])
  const resetLink = tokenIn(await mails.to('bodies@other.example', 2))
  const reset = await post(`/account/reset_password/${resetLink}`, { password: 'another good sentence' })
  expect([reset.status, reset.text]).toEqual([200, '{}'])
})
