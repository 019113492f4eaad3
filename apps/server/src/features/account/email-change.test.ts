import { beforeEach, expect, test } from 'vitest'
import {
  openMailServer,
  openServer,
  send,
  startServer,
  testClock,
  type TestUser,
  tokenIn,
} from '../../../testing/index.ts'

const hour = 3_600_000
const clock = testClock()
let user: TestUser
let next: string
const mails = await openMailServer()
const server = await openServer({ clock, config: { mail: mails.mail, trustProxy: ['loopback'] } })
beforeEach(async () => {
  user = await server.build.user()
  next = `new-${user.username}@example.com`
})

let serial = 0
function call(method: string, path: string, body?: unknown, as: TestUser = user) {
  const from = { 'x-forwarded-for': `10.3.${(serial += 1) >> 8}.${serial & 255}` }
  return send(server.address, method, path, { body, headers: { ...from, cookie: as.cookie } })
}
const ask = (email: string) => call('PUT', '/api/v1/user', { email })
const confirm = (token: string, as: TestUser = user) => call('POST', `/account/email_change/${token}`, undefined, as)
const me = async () => (await call('GET', '/api/v1/user')).json
const events = async () =>
  (
    await server.app.database.read
      .selectFrom('audit_log')
      .select(['event', 'body'])
      .where('scope_id', '=', user.id)
      .orderBy('id')
      .execute()
  ).map(({ event }) => event)

test('[ACCT-12] [ACCT-44] a new address waits until its owner used the link mailed to it', async () => {
  const old = `${user.username}@example.com`
  expect((await ask(next)).json).toMatchObject({ email: old, pendingEmailChange: true })
  expect(await me()).toMatchObject({ email: old, pendingEmailChange: true })
  const token = tokenIn(await mails.to(next))
  expect((await mails.to(next)).parsed.text).toContain(`${server.config.baseUrl}/account/email_change/${token}`)
  for (let i = 0; i < 3; i++) await call('GET', `/account/email_change/${token}`)
  expect((await me()).email).toBe(old)
  expect((await confirm(token)).json).toEqual({ status: 'okay' })
  expect(await me()).toMatchObject({ email: next, email_verified: true })
  expect(await me()).not.toHaveProperty('pendingEmailChange')
  const told = (await mails.to(old)).parsed
  expect([told.subject, told.text]).toEqual([
    'Your e-mail address was changed',
    expect.stringContaining('is now new-user-1@example.com'),
  ])
  expect(await events()).toEqual([
    'user.updated-user',
    'account.change-email-request',
    'account.change-email-confirmed',
  ])
})

test('[ACCT-41] [API-23] the link works in a session of whoever asked, for 48 hours, once', async () => {
  await ask(next)
  const token = tokenIn(await mails.to(next))
  expect((await send(server.address, 'POST', `/account/email_change/${token}`)).status).toBe(401)
  expect((await confirm(token, await server.build.user())).json.code).toBe('invalid_request')
  expect((await confirm('ffec_nonsense')).json.code).toBe('invalid_request')
  expect((await confirm(token)).status).toBe(200)
  expect((await me()).email).toBe(next)
  expect((await confirm(token)).status).toBe(400)
  await ask(`later-${next}`)
  const late = tokenIn(await mails.to(`later-${next}`))
  // The session is used meanwhile, or it would end before the link does.
  clock.turn(24 * hour)
  expect((await me()).pendingEmailChange).toBe(true)
  clock.turn(24 * hour)
  expect((await confirm(late)).json.code).toBe('invalid_request')
  expect(await me()).not.toHaveProperty('pendingEmailChange')
})

test('[API-24] [API-25] asking once more sends the mail again; without a pending one there is nothing to send', async () => {
  const again = (body?: object) => call('POST', '/account/email_change', body)
  expect((await again()).json).toMatchObject({ code: 'invalid_request' })
  expect((await again({ email: next })).json).toEqual({ status: 'okay', pendingEmailChange: true })
  const first = tokenIn(await mails.to(next))
  expect((await again({})).json).toEqual({ status: 'okay', pendingEmailChange: true })
  const second = tokenIn(await mails.to(next, 2))
  expect((await confirm(first)).status).toBe(400)
  expect((await confirm(second)).status).toBe(200)
})

test('[ACCT-18] an address somebody has is refused, when it is asked for and when it is confirmed', async () => {
  const other = await server.build.user()
  expect((await ask(`${other.username}@EXAMPLE.com`)).json).toMatchObject({
    code: 'invalid_email',
    error: 'email must be unique',
    fields: { email: 'email must be unique' },
  })
  await ask(next)
  const token = tokenIn(await mails.to(next))
  await server.build.user({ username: next.split('@')[0]! })
  expect((await confirm(token)).json).toMatchObject({ code: 'invalid_email', error: 'email must be unique' })
  expect((await me()).email).toBe(`${user.username}@example.com`)
})

test.each(['abc', 'a@b, c@d', 'a@b\r\nBcc: c@d', 'a@\u0000b'])('[ACCT-13] %j is no address', async (email) => {
  expect((await ask(email)).json).toMatchObject({ code: 'invalid_email', fields: { email: expect.any(String) } })
})

test('links that were mailed to the former address do not work any more', async () => {
  await server.build.setting('user:reset-password', true)
  const old = `${user.username}@example.com`
  await call('POST', '/account/forgot_password', { email: old })
  const reset = tokenIn(await mails.to(old))
  await ask(next)
  await confirm(tokenIn(await mails.to(next)))
  const answer = await call('POST', `/account/reset_password/${reset}`, { password: 'battery staple 42' })
  expect(answer.json.code).toBe('password_reset_failed')
})

test('without mail the address stays, and why is said on its field', async () => {
  const silent = await startServer()
  const one = await silent.build.user()
  const put = (body: object) => send(silent.address, 'PUT', '/api/v1/user', { headers: { cookie: one.cookie }, body })
  expect((await put({ email: 'elsewhere@example.com', name: 'Changed' })).json).toMatchObject({
    code: 'invalid_request',
    fields: { email: expect.stringContaining('mail is not configured') },
  })
  expect((await put({ email: `${one.username}@example.com` })).json).toMatchObject({ name: one.username })
  await silent.close()
})

test('[ACCT-07] [ACCT-16] a user name changes at once, frees the former one, and is mailed', async () => {
  const name = `renamed-${user.username}`
  expect((await call('PUT', '/api/v1/user', { username: name })).json).toMatchObject({ username: name })
  expect((await mails.to(`${user.username}@example.com`)).parsed.text).toContain(`“${name}”`)
  const other = await server.build.user()
  expect((await call('PUT', '/api/v1/user', { username: other.username.toUpperCase() })).json).toMatchObject({
    code: 'invalid_username',
    error: expect.stringContaining('username'),
  })
  for (const username of ['root', 'a b', ''])
    expect((await call('PUT', '/api/v1/user', { username })).json.fields).toHaveProperty('username')
  expect((await call('PUT', '/api/v1/user', { username: user.username }, other)).status).toBe(200)
})

test('[API-16] each field is taken by itself, and changes itself alone', async () => {
  const team = await server.build.team(user)
  await server.build.setting('user:tcs-required', true)
  const name = `alone-${user.username}`
  for (const [body, changed] of [
    [{ username: name }, { username: name }],
    [{ name: 'Ada' }, { name: 'Ada', avatar: expect.any(String) }],
    [{ defaultTeam: team.id }, { defaultTeam: team.id }],
    [{ tcs_accepted: true }, { tcs_accepted: expect.stringMatching(/Z$/) }],
    // The address that was asked for waits; the one in force stays.
    [{ email: next }, { pendingEmail: next, pendingEmailChange: true }],
  ] as const) {
    const before = (await me()) as object
    const { status, json } = await call('PUT', '/api/v1/user', body)
    expect([body, status, json]).toEqual([body, 200, { ...before, ...changed }])
    expect([body, await me()]).toEqual([body, json])
  }
  expect(await confirm(tokenIn(await mails.to(next)))).toMatchObject({ status: 200 })
  expect(await me()).toMatchObject({ username: name, name: 'Ada', defaultTeam: team.id, email: next })
  await server.build.setting('user:tcs-required', false)
})

test('[PERM-10] what administrators decide nobody decides for themselves, and the last one stays', async () => {
  for (const body of [{ admin: true }, { email_verified: true }])
    expect((await call('PUT', '/api/v1/user', body)).json.code).toBe('invalid_request')
  expect((await me()).admin).toBe(false)
  const admin = await server.build.user({ admin: true })
  const step = async (as: TestUser) => call('PUT', '/api/v1/user', { admin: false }, as)
  expect((await step(admin)).json).toMatchObject({ code: 'unexpected_error', error: expect.stringContaining('admin') })
  await server.build.user({ admin: true })
  expect((await step(admin)).json).toMatchObject({ admin: false })
})

test('who has asked sees the address that waits, and calls it off: the link works no more', async () => {
  await ask(next)
  expect(await me()).toMatchObject({ pendingEmail: next })
  const token = tokenIn(await mails.to(next))
  const { status, json } = await call('DELETE', '/account/email_change')
  expect([status, json]).toEqual([200, { status: 'okay' }])
  expect(await me()).not.toHaveProperty('pendingEmail')
  expect((await confirm(token)).status).toBe(400)
  expect((await me()).email).toBe(`${user.username}@example.com`)
  await call('DELETE', '/account/email_change')
  expect((await events()).filter((event) => event.startsWith('account.change-email'))).toEqual([
    'account.change-email-request',
    'account.change-email-cancelled',
  ])
})
