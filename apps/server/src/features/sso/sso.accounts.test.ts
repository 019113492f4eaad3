import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { cookieOf, openMailServer, openServer, password, send, tokenIn, totp } from '../../../testing/index.ts'
import { updateUser } from '../account/index.ts'
import { openSaml } from '../../../testing/saml.steps.ts'

const mails = await openMailServer()
const server = await openServer({ config: { mail: mails.mail } })
const admin = await server.build.user({ admin: true })
const saml = await openSaml(server, admin)
const provider = await saml.provider()
await server.build.setting('user:signup', true)

const register = (username: string, email: string) =>
  send(server.address, 'POST', '/account/register', { body: { username, email, password } })
const login = (username: string) => send(server.address, 'POST', '/account/login', { body: { username, password } })

test('[SIGNUP-24] an address with a plus sign cannot be used with single sign-on', async () => {
  const refused = await register('plus', `plus+tag@${provider.domain}`)
  expect(refused).toMatchObject({
    status: 400,
    json: { code: 'invalid_sso_email', fields: { email: expect.any(String) } },
  })
  expect((await register('plus', 'plus+tag@elsewhere.example.com')).status).toBe(200)
})

test('who signs up with an address of the domain signs in through the provider alone, and is linked at once', async () => {
  const made = await register('nina', `nina@${provider.domain}`)
  expect(made).toMatchObject({ status: 200, json: { sso_enabled: true, email_verified: true } })
  expect((await login('nina')).json).toMatchObject({ code: 'sso_required' })
  const answer = await provider.signIn('nina')
  expect((await saml.whoIs(answer))?.id).toBe(made.json.id)
  // The password of the sign-up form opens nothing, not even where there is no provider any more.
  await saml.adminCall('PUT', `/${provider.id}`, { active: false })
  expect((await login('nina')).json).toMatchObject({ code: 'unauthorized' })
  await saml.adminCall('PUT', `/${provider.id}`, { active: true })
})

test('[ACCT-15] [ACCT-47] [AUSER-35] the record says who signs in by SSO, and their address stays', async () => {
  const answer = await provider.signIn('otto')
  const user = (await saml.whoIs(answer))!
  expect(user).toMatchObject({ sso_enabled: true })
  const cookie = answer.headers
    .getSetCookie()
    .find((one) => one.startsWith('sid='))!
    .split(';')[0]!
  const sentence = 'Cannot modify email for SSO enabled user'
  const refused = { status: 400, json: { code: 'invalid_request', error: sentence } }
  const own = await send(server.address, 'PUT', '/api/v1/user', {
    headers: { cookie },
    body: { email: 'o@example.com' },
  })
  expect(own).toMatchObject(refused)
  const byAdmin = (body: object) =>
    send(server.address, 'PUT', `/api/v1/users/${String(user.id)}`, { headers: { cookie: admin.cookie }, body })
  expect(await byAdmin({ email: 'o@example.com' })).toMatchObject(refused)
  expect((await byAdmin({ name: 'Otto' })).json).toMatchObject({ name: 'Otto', sso_enabled: true })

  const { users } = await admin.client.call('user.list', { query: {} })
  expect(users.find(({ id }) => id === admin.id)).toMatchObject({ sso_enabled: false })
  await server.build.setting('user:sso', false)
  expect(await admin.client.call('user.get', { params: { userId: String(user.id) } })).not.toHaveProperty('sso_enabled')
  await server.build.setting('user:sso', true)
})

/** An account with a password whose address is of the domain, as before the provider was there. */
async function earlier(name: string) {
  const user = await server.build.user({ username: name })
  const email = `${name}@${provider.domain}`
  await server.app.database.transact((tx) =>
    updateUser(tx, user.id, { email, email_key: email, updated_at: Date.now() }),
  )
  const own = (method: string, path: string, body?: object) =>
    send(server.address, method, path, { headers: { cookie: user.cookie }, ...(body ? { body } : {}) })
  const emailNow = async () => (await own('GET', '/api/v1/user')).json.email
  return { ...user, email, own, emailNow }
}

test('a link for a new address that was mailed before the account was linked does not count afterwards', async () => {
  const { id, own, emailNow, email } = await earlier('petra')
  await saml.adminCall('PUT', `/${provider.id}`, { active: false })
  expect((await own('PUT', '/api/v1/user', { email: 'petra@example.com' })).status).toBe(200)
  const token = tokenIn(await mails.to('petra@example.com'))
  await saml.adminCall('PUT', `/${provider.id}`, { active: true })
  const unlinked = await own('POST', `/account/email_change/${token}`)
  expect(unlinked).toMatchObject({ status: 400, json: { error: expect.stringContaining('Your company manages') } })
  const waiting = await provider.signIn('petra')
  const link = await send(server.address, 'POST', '/ee/sso/link', {
    headers: { cookie: `sso-link=${cookieOf(waiting, 'sso-link')}` },
    body: { password },
  })
  expect(link.status).toBe(200)
  const linked = await own('POST', `/account/email_change/${token}`)
  const sentence = 'Cannot modify email for SSO enabled user'
  expect(linked).toMatchObject({ status: 400, json: { code: 'invalid_request', error: sentence } })
  expect(await emailNow()).toBe(email)
  expect(await admin.client.call('user.get', { params: { userId: id } })).toMatchObject({ email })
})

test('whoever has to sign in through a provider cannot take an address that lets their password count again', async () => {
  const { own, emailNow, email } = await earlier('rosa')
  const refused = { status: 400, json: { code: 'invalid_request', fields: { email: expect.any(String) } } }
  expect(await own('PUT', '/api/v1/user', { email: 'rosa@example.com' })).toMatchObject(refused)
  server.queries.worst.clear()
  expect(await own('POST', '/account/email_change', { email: 'rosa@example.com' })).toMatchObject(refused)
  // The session, the account, the settings and the provider, each once.
  expect(server.queries.worst.get('POST /account/email_change')).toBe(4)
  expect(await emailNow()).toBe(email)
  const other = `rosa.b@${provider.domain}`
  expect((await own('PUT', '/api/v1/user', { email: other })).status).toBe(200)
  expect((await own('POST', `/account/email_change/${tokenIn(await mails.to(other))}`)).status).toBe(200)
  expect([await emailNow(), (await login('rosa')).json.code]).toEqual([other, 'sso_required'])
})

/** The cookie of the session that an answer opened. */
const sessionOf = (answer: Parameters<typeof cookieOf>[0]) => `sid=${cookieOf(answer, 'sid')}`

test('whose password has expired is let in by the provider, and must change it before it opens anything again', async () => {
  const { id, client } = await earlier('sofia')
  const { secret } = await client.call('secondFactor.startApp', { body: { proof: { password } } })
  const body = { code: totp(secret, Date.now()) }
  const { recoveryCodes = [] } = await client.call('secondFactor.confirmApp', { body })
  await server.app.database.transact((tx) => updateUser(tx, id, { password_expired: 1, updated_at: Date.now() }))
  /** Takes the second step of a sign-in. */
  const step = (answer: Parameters<typeof cookieOf>[0]) =>
    send(server.address, 'POST', '/account/login/token', {
      headers: { cookie: `step=${cookieOf(answer, 'step')}` },
      body: { code: recoveryCodes.pop() },
    })
  const expired = async () => (await admin.client.call('user.get', { params: { userId: id } })).password_expired
  const own = (answer: Parameters<typeof cookieOf>[0], path: string) =>
    send(server.address, 'GET', path, { headers: { cookie: sessionOf(answer) } })
  const linked = await send(server.address, 'POST', '/ee/sso/link', {
    headers: { cookie: `sso-link=${cookieOf(await provider.signIn('sofia'), 'sso-link')}` },
    body: { password },
  })
  for (const asked of [linked, await provider.signIn('sofia')]) {
    const answer = await step(asked)
    expect((await own(answer, '/api/v1/user')).json).not.toHaveProperty('password_expired')
    expect((await own(answer, '/api/v1/user/teams')).status).toBe(200)
    expect(await expired()).toBe(true)
  }
  await saml.adminCall('PUT', `/${provider.id}`, { active: false })
  const byPassword = await step(await login('sofia'))
  await saml.adminCall('PUT', `/${provider.id}`, { active: true })
  expect((await own(byPassword, '/api/v1/user')).json).toMatchObject({ password_expired: true })
  expect((await own(byPassword, '/api/v1/user/teams')).status).toBe(401)
})

test('whom a team has invited gets an account where the provider makes none, and is in the team at once', async () => {
  const closed = await saml.provider({ createAccounts: false })
  await server.build.setting('team:user:invite:external', true)
  const { id: teamId } = await server.build.team(admin)
  const params = { teamId }
  const body = { user: `erik@${closed.domain}`, role: roles.viewer }
  expect(await admin.client.call('invitation.create', { params, body })).toEqual({ status: 'okay' })
  expect((await closed.signIn('sven')).headers.get('location')).toBe('/?sso=unknown_sso_user')
  const user = (await saml.whoIs(await closed.signIn('erik')))!
  expect(user).toMatchObject({ username: 'erik', email: `erik@${closed.domain}`, email_verified: true })
  expect(await admin.client.call('invitation.listOfTeam', { params })).toMatchObject({ invitations: [] })
  const { read } = server.app.database
  const members = read.selectFrom('team_members').select(['user_id', 'role']).where('team_id', '=', teamId)
  expect(await members.execute()).toContainEqual({ user_id: user.id, role: roles.viewer })
  const { log } = await admin.client.call('auditLog.list', { query: { scope: 'team', scopeId: teamId } })
  expect(log.map(({ event }) => event)).toContain('team.user.invite.accepted')
  expect((await closed.signIns())[0]).toMatchObject({ result: 'signed-in', created: true })
})
