import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { cookieOf, openServer, password, send } from '../../../../testing/index.ts'
import { createSamlIdp } from '../../../../testing/saml.idp.ts'
import { openSaml } from '../../../../testing/saml.steps.ts'

const server = await openServer()
const admin = await server.build.user({ admin: true })
const saml = await openSaml(server, admin)

const login = (username: string, password?: string) =>
  send(server.address, 'POST', '/account/login', {
    body: { username, ...(password === undefined ? {} : { password }) },
  })
const place = (answer: { status: number; headers: Headers }) => [answer.status, answer.headers.get('location')]

/** An account with a password whose address is of the domain. */
async function local(domain: string, name: string, options: { admin?: boolean } = {}) {
  const user = await server.build.user({ username: name, ...options })
  const email = `${name}@${domain}`
  await server.app.database.read
    .updateTable('users')
    .set({ email, email_key: email })
    .where('id', '=', user.id)
    .execute()
  return user
}

test('a person of the domain is sent to the provider and comes back signed in, to the page first asked for', async () => {
  const provider = await saml.provider()
  const { location, request } = await provider.begin('/team/bakers')
  expect(location).toMatch(/^https:\/\/idp\.example\.com\/sso\?tenant=\d+&SAMLRequest=/)
  expect(request).toMatchObject({ issuer: provider.entityID, acsUrl: provider.acsURL })
  const answer = await provider.signIn('ada', { attributes: { uid: 'ada.l' } }, '/team/bakers?tab=1')
  expect(place(answer)).toEqual([303, '/team/bakers?tab=1'])
  expect(await saml.whoIs(answer)).toMatchObject({
    username: 'ada-l',
    name: 'Name of ada',
    email: `ada@${provider.domain}`,
    email_verified: true,
    sso_enabled: true,
    admin: false,
  })
  const again = await provider.signIn('ada')
  expect(place(again)).toEqual([303, '/'])
  expect((await saml.whoIs(again))?.id).toBe((await saml.whoIs(answer))?.id)
})

test('the page of the provider tells of each sign-in: what came, and what became of it', async () => {
  const provider = await saml.provider({ groupsAttribute: 'team' })
  await provider.signIn('bob', { attributes: { team: ['bakers', 'night shift'] } })
  await provider.signIn('bob', { attributes: { email: 'bob@elsewhere.example.com' }, nameId: 'somebody-else' })
  const [refused, first] = await provider.signIns()
  expect(first).toMatchObject({
    result: 'signed-in',
    created: true,
    subject: 'bob',
    user: { username: 'bob' },
    sent: { NameID: 'bob', displayName: 'Name of bob', team: ['bakers', 'night shift'] },
  })
  expect(refused).toMatchObject({ result: 'refused', reason: 'foreign_address', user: null, created: false })
  expect(JSON.stringify([refused, first])).not.toContain('Signature')
  const { log } = await admin.client.call('auditLog.list', { query: { limit: 5 } })
  expect(log[0]).toMatchObject({ event: 'account.login', body: { error: { code: 'foreign_address' } } })
})

test('a provider that names its attributes otherwise is understood by the names that administrators enter', async () => {
  const names = { emailAttribute: 'post', nameAttribute: 'full', usernameAttribute: 'login' }
  const provider = await saml.provider(names)
  const attributes = {
    email: 'x@elsewhere.example.com',
    post: `otto@${provider.domain}`,
    full: 'Otto Bach',
    login: 'obach',
  }
  expect(await saml.whoIs(await provider.signIn('17', { attributes }))).toMatchObject({
    email: `otto@${provider.domain}`,
    name: 'Otto Bach',
    username: 'obach',
  })
})

test('an account that was there asks for its password once, then it is linked', async () => {
  const provider = await saml.provider()
  const user = await local(provider.domain, 'carla')
  const answer = await provider.signIn('carla', {}, '/team/x')
  expect(place(answer)).toEqual([303, '/account/sso/link?r=%2Fteam%2Fx'])
  expect(await saml.whoIs(answer)).toBeUndefined()
  const cookie = `sso-link=${cookieOf(answer, 'sso-link')}`
  const link = (secret: string) =>
    send(server.address, 'POST', '/ee/sso/link', { headers: { cookie }, body: { password: secret } })
  const waiting = await send(server.address, 'GET', '/ee/sso/link', { headers: { cookie } })
  expect(waiting.json).toMatchObject({ email: `carla@${provider.domain}`, username: 'carla' })
  expect(await link('wrong')).toMatchObject({ status: 401, json: { code: 'unauthorized' } })
  const linked = await link(password)
  expect(linked).toMatchObject({ status: 200, json: { redirect: '/team/x' } })
  expect((await saml.whoIs(linked))?.id).toBe(user.id)
  expect(await link(password)).toMatchObject({ status: 401 })
  expect((await saml.whoIs(await provider.signIn('carla')))?.id).toBe(user.id)
  const { log } = await admin.client.call('auditLog.list', { query: { limit: 20 } })
  expect(log.map(({ event }) => event)).toContain('account.sso-linked')
})

test('a sign-in that links an account says that rules count from the next, which has the groups', async () => {
  const provider = await saml.provider({ groupsAttribute: 'team' })
  await local(provider.domain, 'clara')
  const team = await server.build.team(admin)
  const rules = [{ group: 'bakers', team: team.id, role: roles.viewer }]
  await admin.client.call('ssoRules.replace', { params: { providerId: provider.id }, body: { rules } })
  const signIn = () => provider.signIn('clara', { attributes: { team: ['bakers'] } })
  const cookie = `sso-link=${cookieOf(await signIn(), 'sso-link')}`
  const linked = await send(server.address, 'POST', '/ee/sso/link', { headers: { cookie }, body: { password } })
  expect(linked.status).toBe(200)
  await signIn()
  const [next, first] = await provider.signIns()
  const later = 'The account was linked by its password just now. Rules count from the next sign-in.'
  expect([first!.applied, next!.applied]).toEqual([[later], [`Joins “${team.name}” as Viewer, by the group “bakers”.`]])
})

test('somebody else with the same address does not get the account', async () => {
  const provider = await saml.provider()
  await provider.signIn('dora')
  const answer = await provider.signIn('dora', { nameId: 'another person' })
  expect(place(answer)).toEqual([303, '/?sso=other_identity'])
})

test('only the invited get an account where the provider makes none', async () => {
  const provider = await saml.provider({ createAccounts: false })
  expect(place(await provider.signIn('erik'))).toEqual([303, '/?sso=unknown_sso_user'])
})

test('suspended people are not let in', async () => {
  const provider = await saml.provider()
  const user = (await saml.whoIs(await provider.signIn('finn')))!
  await admin.client.call('user.update', { params: { userId: String(user.id) }, body: { suspended: true } })
  const answer = await provider.signIn('finn')
  expect(place(answer)).toEqual([303, '/?sso=user_suspended'])
  expect(await saml.whoIs(answer)).toBeUndefined()
})

test('[LOGIN-09] [ASSO-17] the login page is told where to go, by address, and administrators can use their password', async () => {
  const provider = await saml.provider()
  const address = `gina@${provider.domain}`
  const redirect = `/ee/sso/login?u=${encodeURIComponent(address)}`
  expect(await login(address)).toMatchObject({ status: 401, json: { code: 'sso_required', redirect } })
  await local(provider.domain, 'gina')
  const byName = await login('gina', password)
  expect(byName).toMatchObject({
    status: 401,
    json: { code: 'sso_required', fields: { username: expect.any(String) } },
  })
  expect(byName.json).not.toHaveProperty('redirect')
  expect((await login(address, password)).json).toMatchObject({ code: 'sso_required' })

  await local(provider.domain, 'hedy', { admin: true })
  expect((await login('hedy')).json).toMatchObject({ code: 'password_required' })
  expect((await login('hedy', password)).status).toBe(200)
  expect((await login(`hedy@${provider.domain}`, password)).status).toBe(200)

  await saml.adminCall('PUT', `/${provider.id}`, { active: false })
  expect((await login('gina', password)).status).toBe(200)
})

test('without TLS browsers bring the cookie of a sign-in with the answer, which another site sends', async () => {
  const provider = await saml.provider()
  const begun = await send(server.address, 'GET', `/ee/sso/login?u=ada@${provider.domain}`)
  const [cookie] = begun.headers.getSetCookie().filter((one) => one.startsWith('sso='))
  expect(cookie).toMatch(/HttpOnly/)
  expect(cookie).not.toMatch(/SameSite/i)
})

test.each([
  ['OIDs', 'urn:oid:1.2.840.113549.1.9.1', 'urn:oid:1.3.6.1.4.1.5923.1.5.1.1'],
  ['OIDs of another directory', 'urn:oid:0.9.2342.19200300.100.1.3', 'groups'],
  ['plain names', 'mail', 'isMemberOf'],
])('address and groups are known by %s', async (_what, email, groups) => {
  const provider = await saml.provider()
  const { request, browser } = await provider.begin()
  const attributes = { [email]: `nora@${provider.domain}`, [groups]: ['bakers'] }
  const answer = await saml.idp.answer(provider.parts({ inResponseTo: request.id, nameId: 'nora', attributes }))
  expect(place(await provider.post(answer, { browser }))).toEqual([303, '/'])
  expect((await provider.signIns())[0]).toMatchObject({ email: `nora@${provider.domain}`, groups: ['bakers'] })
})

test('an encrypted assertion is opened with the key of the metadata, and each provider has its own', async () => {
  const provider = await saml.provider()
  const metadata = await send(server.address, 'GET', `/ee/sso/entity/${provider.id}`)
  expect(metadata.headers.get('content-type')).toMatch(/^application\/samlmetadata\+xml/)
  expect(metadata.text).toContain(`entityID="${provider.entityID}"`)
  expect(metadata.text).toContain(`Location="${provider.acsURL}"`)
  const body = /<ds:X509Certificate>([^<]+)</.exec(metadata.text)![1]!.replace(/\s/g, '')
  const encryptFor = `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  expect(place(await provider.signIn('ida', { encryptFor }))).toEqual([303, '/'])
  const other = await saml.provider()
  expect(place(await other.signIn('ida', { encryptFor }))).toEqual([303, '/?sso=invalid_response'])
})

test('while a certificate is exchanged both count, and metadata brings both', async () => {
  const next = await createSamlIdp()
  const provider = await saml.provider({ nextCert: next.cert })
  const { request, browser } = await provider.begin()
  const attributes = { email: `jan@${provider.domain}` }
  const answer = await next.answer(provider.parts({ inResponseTo: request.id, nameId: 'jan', attributes }))
  expect(place(await provider.post(answer, { browser }))).toEqual([303, '/'])
  expect(place(await provider.signIn('kim'))).toEqual([303, '/'])

  const xml = saml.idp.metadata('https://idp.example.com/start', [next.cert])
  const read = await admin.client.call('sso.metadata', { params: { providerId: provider.id }, body: { xml } })
  expect(read).toEqual({
    options: {
      entryPoint: 'https://idp.example.com/start',
      idpIssuer: saml.idp.issuer,
      cert: saml.idp.cert,
      nextCert: next.cert,
    },
  })
  for (const bad of ['<a/>', 'no xml', '<!DOCTYPE a [<!ENTITY b "c">]><a/>'])
    expect(await saml.adminCall('POST', `/${provider.id}/metadata`, { xml: bad })).toMatchObject({ status: 400 })
})

test('metadata is not fetched from private networks unless that is allowed', async () => {
  const provider = await saml.provider()
  const fetching = (body: object) => saml.adminCall('POST', `/${provider.id}/metadata`, body)
  for (const url of [
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://169.254.169.254/latest',
    server.address,
  ])
    expect(await fetching({ url })).toMatchObject({ status: 400, json: { fields: { url: expect.any(String) } } })
  // Allowed, it is asked, and answers what is no metadata.
  const allowed = await fetching({ url: `${server.address}/ee/sso/entity/${provider.id}`, allowPrivate: true })
  expect(allowed).toMatchObject({ status: 400, json: { error: 'This is not the metadata of an identity provider' } })
})

test('a provider is not activated with options that could not work', async () => {
  const { id } = await saml.provider()
  const put = (options: object) => saml.adminCall('PUT', `/${id}`, { options })
  expect((await put({ cert: 'nonsense' })).json).toMatchObject({ fields: { 'options.cert': expect.any(String) } })
  const needed = 'An active provider needs this'
  expect((await put({ idpIssuer: '', entryPoint: '' })).json).toMatchObject({
    fields: { 'options.idpIssuer': needed, 'options.entryPoint': needed },
  })
})

test('a provider begins a sign-in only where that is allowed', async () => {
  const refusing = await saml.provider()
  const unsolicited = async (provider: typeof refusing, RelayState?: string) =>
    provider.post(
      await saml.idp.answer(provider.parts({ nameId: 'lena', attributes: { email: `lena@${provider.domain}` } })),
      RelayState === undefined ? {} : { RelayState },
    )
  expect(place(await unsolicited(refusing))).toEqual([303, '/?sso=unsolicited'])
  const allowing = await saml.provider({ idpInitiated: true })
  expect(place(await unsolicited(allowing, '/team/bakers'))).toEqual([303, '/team/bakers'])
})

test('whoever has a second factor here is asked for it, unless the provider asks for one itself', async () => {
  const provider = await saml.provider()
  const user = (await saml.whoIs(await provider.signIn('mona')))!
  await server.app.database.read
    .updateTable('users')
    .set({ second_factor: 1 })
    .where('id', '=', String(user.id))
    .execute()
  const asked = await provider.signIn('mona', {}, '/team/x')
  expect(place(asked)).toEqual([303, '/account/sso/step?r=%2Fteam%2Fx'])
  expect([cookieOf(asked, 'sid'), typeof cookieOf(asked, 'step')]).toEqual([undefined, 'string'])
  await saml.adminCall('PUT', `/${provider.id}`, { options: { skipSecondFactor: true } })
  expect(place(await provider.signIn('mona'))).toEqual([303, '/'])
})
