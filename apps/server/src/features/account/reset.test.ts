import { beforeEach, expect, test } from 'vitest'
import {
  openMailServer,
  openServer,
  password,
  send,
  statusesOf,
  testClock,
  type TestUser,
  tokenIn,
  until,
} from '../../../testing/index.ts'

const hour = 3_600_000
const clock = testClock()
let user: TestUser
let email: string
const mails = await openMailServer()
const server = await openServer({ clock, config: { mail: mails.mail, trustProxy: ['loopback'] } })
beforeEach(async () => {
  await server.build.setting('user:reset-password', true)
  user = await server.build.user()
  email = `${user.username}@example.com`
})

let serial = 0
function post(path: string, body?: unknown, headers: Record<string, string> = {}) {
  const from = { 'x-forwarded-for': `10.2.${(serial += 1) >> 8}.${serial & 255}` }
  return send(server.address, 'POST', path, { body, headers: { ...from, ...headers } })
}
const forgot = (address: string) => post('/account/forgot_password', { email: address })
const reset = (token: string, next: string) => post(`/account/reset_password/${token}`, { password: next })
const signIn = async (secret: string) =>
  (await post('/account/login', { username: user.username, password: secret })).status
async function mailedToken(): Promise<string> {
  await forgot(email)
  return tokenIn(await mails.to(email))
}
const events = async (event: string) =>
  server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '=', event)
    .where('scope_id', '=', user.id)
    .execute()

test('[ACCT-32] [ACCT-38] [API-21] [API-22] a forgotten password is replaced by way of the mailed link', async () => {
  const token = await mailedToken()
  expect(token).toMatch(/^ffpr_/)
  const { parsed } = await mails.to(email)
  expect(parsed.text).toContain(`${server.config.baseUrl}/account/change-password/${token}`)
  expect([await reset(token, 'battery staple 42')]).toMatchObject([{ status: 200, json: {} }])
  expect([await signIn(password), await signIn('battery staple 42')]).toEqual([401, 200])
  expect(await events('account.forgot-password')).toMatchObject([{ trigger_type: 'unknown', scope_type: 'user' }])
  const [entry] = await events('account.reset-password')
  expect(JSON.parse(entry!.body)).toMatchObject({ user: { id: user.id, username: user.username } })
  // The sign-in with the new password sends one of its own, in any order.
  await mails.to(email, 3)
  expect(mails.received.map(({ parsed: { subject } }) => subject)).toContain('Your password was changed')
})

test('the link leads to the platform, whatever name the request was sent to', async () => {
  for (const headers of [
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example' },
  ])
    await server.app.http.inject({ method: 'POST', url: '/account/forgot_password', payload: { email }, headers })
  const { parsed, source } = await mails.to(email, 3)
  expect(parsed.text).toContain(`${server.config.baseUrl}/account/change-password/`)
  expect(mails.received.filter((mail) => mail.source.includes('evil'))).toEqual([])
  expect(source).not.toContain('evil')
})

test('all sessions end, and the link opens none', async () => {
  const answer = await reset(await mailedToken(), 'battery staple 42')
  expect(answer.headers.getSetCookie().map((line) => line.split('=')[0])).toEqual(['browser'])
  const who = await send(server.address, 'GET', '/api/v1/user', { headers: { cookie: user.cookie } })
  expect(who.status).toBe(401)
})

test('an address nobody has gets the same answer, and no mail', async () => {
  const [known, unknown] = [await forgot(email), await forgot('nobody@example.com')]
  expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
  expect(known).toMatchObject({ status: 200, json: {} })
  await mails.to(email)
  expect(mails.received.filter(({ to }) => to.includes('nobody@example.com'))).toEqual([])
})

test('known and unknown addresses cost the same work before the answer', async () => {
  const work = async (address: string) => {
    server.queries.worst.clear()
    await forgot(address)
    return server.queries.worst.get('POST /account/forgot_password')
  }
  const counts = [await work(email), await work('nobody@example.com'), await work(user.username)]
  // The job that follows may already have begun to run.
  expect(Math.max(...counts.map(Number)) - Math.min(...counts.map(Number))).toBeLessThanOrEqual(6)
})

test('the mail goes to the address as it is stored, not to one that only looks like it', async () => {
  const known = `kelvin-${user.username}@example.com`
  await server.app.database.read
    .updateTable('users')
    .set({ email: known, email_key: known })
    .where('id', '=', user.id)
    .execute()
  await forgot(known.replace('k', '\u212a'))
  await mails.to(known)
  expect(mails.received.every(({ to }) => to.every((one) => /^[ -~]+$/.test(one)))).toBe(true)
})

test('[API-22] a link works once, also when it is used several times at once', async () => {
  const token = await mailedToken()
  const answers = await Promise.all([1, 2, 3].map((n) => reset(token, `battery staple ${n}`)))
  expect(statusesOf(answers)).toEqual([200, 400, 400])
  expect((await reset(token, 'yet another one')).json.code).toBe('password_reset_failed')
})

test('a link ends after 24 hours, when a newer one is asked for, and with a changed password', async () => {
  const first = await mailedToken()
  await forgot(email)
  const second = tokenIn(await mails.to(email, 2))
  expect((await reset(first, 'battery staple 42')).status).toBe(400)
  const change = { old_password: password, password: 'a password of mine' }
  await send(server.address, 'PUT', '/api/v1/user/change_password', { headers: { cookie: user.cookie }, body: change })
  expect((await reset(second, 'battery staple 42')).status).toBe(400)
  await mails.to(email, 3)
  await forgot(email)
  const third = tokenIn(await mails.to(email, 4))
  clock.turn(24 * hour)
  expect((await reset(third, 'battery staple 42')).json.code).toBe('password_reset_failed')
})

test.each(['1234567', 'x'.repeat(1025), 'password1'])(
  '[ACCT-36] [ACCT-37] a password that is refused does not use the link up (%#)',
  async (bad) => {
    const token = await mailedToken()
    const refused = await reset(token, bad)
    expect(refused).toMatchObject({ status: 400, json: { fields: { password: expect.any(String) } } })
    expect((await reset(token, 'battery staple 42')).status).toBe(200)
  },
)

test('[API-22] a link for something else, a bearer token or nonsense resets nothing', async () => {
  const { build } = server
  const other = await build.user()
  await send(server.address, 'PUT', '/api/v1/user', {
    headers: { cookie: other.cookie, 'x-forwarded-for': '10.9.9.9' },
    body: { email: 'elsewhere@example.com' },
  })
  const change = tokenIn(await mails.to('elsewhere@example.com'))
  for (const token of [change, 'ffpr_nonsense', 'x'.repeat(500), '%00', 'ffs_no']) {
    expect((await reset(token, 'battery staple 42')).status).toBe(400)
  }
  const token = await mailedToken()
  const bearer = { headers: { authorization: `Bearer ${token}` } }
  expect((await send(server.address, 'GET', '/api/v1/user', bearer)).status).toBe(401)
})

test('a suspended user is mailed nothing, and links from before reset nothing', async () => {
  const token = await mailedToken()
  await server.app.database.read.updateTable('users').set({ suspended: 1 }).where('id', '=', user.id).execute()
  expect((await reset(token, 'battery staple 42')).status).toBe(400)
  expect((await forgot(email)).status).toBe(200)
  await until(
    async () => server.app.database.read.selectFrom('jobs').select('id').execute(),
    (jobs) => jobs.length === 0,
  )
  expect(mails.received.filter(({ to }) => to.includes(email))).toHaveLength(1)
})

test('with the setting off nothing is mailed and mailed links stop working', async () => {
  const token = await mailedToken()
  await server.build.setting('user:reset-password', false)
  for (const answer of [await forgot(email), await reset(token, 'battery staple 42')])
    expect(answer).toMatchObject({ status: 400, json: { code: 'password_reset_unavailable' } })
  // A link that is none, or was used, would not work with the setting on either.
  expect((await reset('ffpr_nonsense', 'battery staple 42')).json.code).toBe('password_reset_failed')
})

test('more than five requests of an address in a minute are too many', async () => {
  const from = { 'x-forwarded-for': '192.0.2.44' }
  const once = () => post('/account/forgot_password', { email: 'flood@example.com' }, from)
  for (let i = 0; i < 5; i++) expect((await once()).status).toBe(200)
  expect(await once()).toMatchObject({ status: 429, json: { code: 'too_many_requests' } })
})

test('nobody is flooded with mail from a thousand addresses: five in a quarter of an hour, and the last link works', async () => {
  for (let n = 0; n < 8; n++) expect((await forgot(email)).status).toBe(200)
  await until(
    async () => server.app.database.read.selectFrom('jobs').select('id').execute(),
    (jobs) => jobs.length === 0,
  )
  const sent = mails.received.filter(({ to }) => to.includes(email))
  expect(sent).toHaveLength(5)
  const answers = []
  for (const mail of sent) answers.push(await reset(tokenIn(mail), 'battery staple 42'))
  expect(statusesOf(answers)).toEqual([200, 400, 400, 400, 400])
})

test('neither the token nor the address of a request lies readable in the database', async () => {
  mails.refuse(451)
  const before = mails.attempts()
  await forgot(email)
  await until(
    async () => mails.attempts(),
    (count) => count > before,
  )
  const { read } = server.app.database
  const rows = [
    ...(await read.selectFrom('account_links').selectAll().execute()).map(({ hash }) => hash),
    ...(await read.selectFrom('mails').selectAll().execute()),
    ...(await read.selectFrom('jobs').selectAll().execute()),
  ]
  mails.refuse()
  expect(JSON.stringify(rows)).not.toMatch(/ffpr_|change-password|@example/)
})
