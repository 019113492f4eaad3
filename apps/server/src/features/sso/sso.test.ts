import { expect, test } from 'vitest'
import { openServer, send } from '../../../testing/index.ts'
import { createSamlIdp } from '../../../testing/saml.idp.ts'

const server = await openServer()
await server.build.setting('user:sso', true)
const admin = await server.build.user({ admin: true })
const user = await server.build.user()
const certificate = (await createSamlIdp()).cert

const call = (method: string, path = '', body?: unknown, as = admin) =>
  send(server.address, method, `/ee/sso/providers${path}`, {
    headers: { cookie: as.cookie },
    ...(body === undefined ? {} : { body }),
  })

let serial = 0
async function provider() {
  serial += 1
  const answer = await call('POST', '', { name: `Bakery ${serial}`, domainFilter: `Bakery${serial}.example.com` })
  expect(answer.status).toBe(200)
  return answer.json as { id: string; domainFilter: string }
}

test('[API-52] [ASSO-10] a new provider has a name and a domain, is inactive and has no options', async () => {
  const made = await call('POST', '', { name: 'Example Bakery', domainFilter: 'Bakery.Example.com' })
  const { id } = made.json as { id: string }
  expect(made).toMatchObject({
    status: 200,
    json: {
      name: 'Example Bakery',
      type: 'saml',
      domainFilter: '@bakery.example.com',
      active: false,
      options: {},
      acsURL: `${server.config.baseUrl}/ee/sso/login/callback`,
      entityID: `${server.config.baseUrl}/ee/sso/entity/${id}`,
    },
  })
  const refused = { status: 400, json: { code: 'invalid_request', fields: { domainFilter: expect.any(String) } } }
  expect(await call('POST', '', { name: 'Same', domainFilter: '@BAKERY.example.com' })).toMatchObject(refused)
  expect(await call('POST', '', { name: 'None' })).toMatchObject(refused)
  for (const domainFilter of ['', '<b>.example.com', '🥖', 'https://example.com/a', '-5', 'example..com'])
    expect(await call('POST', '', { name: 'None', domainFilter })).toMatchObject(refused)
  expect((await call('POST', '', { name: 'Umlaut', domainFilter: '@bäckerei.example.com' })).status).toBe(200)
})

test('a provider of OpenID Connect needs no domain and has an address for its answers, a directory needs a domain', async () => {
  const { baseUrl } = server.config
  const made = await admin.client.call('sso.create', { body: { name: 'Free choice', type: 'oidc' } })
  expect(made).toMatchObject({ domainFilter: null, callbackURL: `${baseUrl}/ee/sso/oidc/${made.id}/callback` })
  const ldap = await call('POST', '', { name: 'Directory', type: 'ldap' })
  expect(ldap).toMatchObject({
    status: 400,
    json: { fields: { domainFilter: 'Enter the email domain of this provider' } },
  })
  expect(await call('POST', '', { name: 'Directory', type: 'ldap', domainFilter: '@tree.example.com' })).toMatchObject({
    status: 200,
    json: expect.not.objectContaining({ callbackURL: expect.anything() }),
  })
})

test.each([
  [
    'ldap',
    { active: true, domainFilter: null, options: { ldapUrl: 'ldap://ldap.example.com' } },
    {
      domainFilter: 'Enter the email domain of this provider',
      'options.ldapUrl': 'Use ldaps, or STARTTLS: otherwise passwords travel in the clear',
      'options.baseDn': 'Enter where people are searched before you activate it',
    },
  ],
  [
    'ldap',
    { options: { ldapUrl: 'https://ldap.example.com', userFilter: '(uid=ada)', groupsFilter: '(member=x)' } },
    {
      'options.ldapUrl': 'Enter an ldap or ldaps address',
      'options.userFilter': 'The filter must contain {username}, where the name is filled in',
      'options.groupsFilter': 'The filter must contain {dn}, where the entry of the person is filled in',
    },
  ],
  [
    'oidc',
    { active: true, options: { issuer: 'http://idp.example.com' } },
    {
      'options.issuer': 'The issuer must be an https address; http is for this machine alone',
      'options.clientId': 'Enter the client ID before you activate it',
    },
  ],
  [
    'saml',
    { active: true, options: { nextCert: 'none' } },
    {
      'options.nextCert': 'This is not an X.509 certificate. Paste it as PEM, with its first and last line',
      'options.entryPoint': 'An active provider needs this',
      'options.idpIssuer': 'An active provider needs this',
      'options.cert': 'An active provider needs this',
    },
  ],
] as const)('a change of a provider is refused with all fields at fault: %s, %j', async (type, change, fields) => {
  const made = await call('POST', '', { name: 'Faulty', type, domainFilter: `@faulty${(serial += 1)}.example.com` })
  const { id } = made.json as { id: string }
  const refused = await call('PUT', `/${id}`, change)
  expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  expect((refused.json as { fields: unknown }).fields).toEqual(fields)
  expect((await call('GET', `/${id}`)).json).toMatchObject({ active: false, options: {} })
})

test('[API-51] [API-53] [API-54] [API-55] [ASSO-18] administrators list, read, change and delete providers, and the log has it all', async () => {
  const { id, domainFilter } = await provider()
  const options = { entryPoint: 'https://idp.example.com/sso', idpIssuer: 'idp', cert: certificate }
  const changed = await call('PUT', `/${id}`, { name: 'Renamed', options })
  const addresses = {
    acsURL: `${server.config.baseUrl}/ee/sso/login/callback`,
    entityID: `${server.config.baseUrl}/ee/sso/entity/${id}`,
  }
  const named = { id, name: 'Renamed', domainFilter, options, ...addresses }
  expect(changed).toMatchObject({ status: 200, json: { ...named, active: false } })
  const params = { providerId: id }
  expect(await admin.client.call('sso.get', { params })).toEqual(changed.json)
  expect(await admin.client.call('sso.signIns', { params })).toEqual({ count: 0, signIns: [] })
  const list = (await call('GET', '?query=renam')).json as { count: number; providers: unknown[] }
  expect(list).toEqual({ meta: {}, count: 1, providers: [changed.json] })
  expect((await call('GET', `?query=${encodeURIComponent(domainFilter)}`)).json).toMatchObject({ count: 1 })
  const moved = { active: true, domainFilter: `@moved${domainFilter.slice(1)}` }
  expect(await admin.client.call('sso.update', { params, body: moved })).toMatchObject({ ...named, ...moved })
  await admin.client.call('sso.update', { params, body: { active: false } })
  const cleared = await admin.client.call('sso.update', { params, body: { options: { idpIssuer: '' } } })
  expect(cleared).toMatchObject({
    name: 'Renamed',
    options: { entryPoint: options.entryPoint, cert: certificate },
  })
  expect(cleared.options).not.toHaveProperty('idpIssuer')
  expect(await admin.client.call('sso.delete', { params, query: {} })).toEqual({ status: 'okay' })
  expect((await call('GET', `/${id}`)).status).toBe(404)

  const { log } = await admin.client.call('auditLog.list', { query: { limit: 6 } })
  expect(log.map(({ event }) => event)).toEqual([
    'platform.sso.provider.deleted',
    'platform.sso.provider.updated',
    'platform.sso.provider.updated',
    'platform.sso.provider.updated',
    'platform.sso.provider.updated',
    'platform.sso.provider.created',
  ])
  expect(log[4]).toMatchObject({
    body: {
      info: { id, name: 'Renamed' },
      updates: expect.arrayContaining([
        expect.objectContaining({ key: 'options.entryPoint', new: options.entryPoint }),
        expect.objectContaining({ key: 'options.cert' }),
      ]),
    },
  })
  expect(JSON.stringify(log)).not.toContain(certificate)
})

test('an option of another type, an unknown one and an address that is none are refused and change nothing', async () => {
  const { id } = await provider()
  for (const options of [{ unheard: 'of' }, { entryPoint: 'javascript:alert(1)' }]) {
    const refused = await call('PUT', `/${id}`, { name: 'Changed', options })
    expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  }
  expect((await call('GET', `/${id}`)).json).toMatchObject({ options: {}, name: expect.stringMatching(/^Bakery/) })
})

test('people who are no administrators see none of it', async () => {
  const { id } = await provider()
  for (const path of ['', `/${id}`, `/${id}/sign-ins`])
    expect((await call('GET', path, undefined, user)).status).toBe(403)
  expect((await call('POST', '', { name: 'Mine', domainFilter: '@mine.example.com' }, user)).status).toBe(403)
})

test('it is off until an administrator turns it on', async () => {
  await server.build.setting('user:sso', false)
  const off = await call('GET')
  expect(off).toMatchObject({ status: 404, json: { error: 'Single sign-on is switched off on this platform' } })
  expect((await server.build.anonymous.call('settings.get')).features.sso).toBe(false)
  await admin.client.call('settings.update', { body: { 'user:sso': true } })
  expect((await call('GET')).status).toBe(200)
  expect((await server.build.anonymous.call('settings.get')).features.sso).toBe(true)
})
