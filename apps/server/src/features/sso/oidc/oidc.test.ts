import { afterAll, expect, onTestFinished, test } from 'vitest'
import {
  type Answer,
  clientWith,
  cookieOf,
  freePort,
  openServer,
  send,
  startServer,
  testClock,
} from '../../../../testing/index.ts'
import { updateUser } from '../../account/index.ts'
import { clientSecret, type Person, startOidcIdp } from '../../../../testing/oidc.idp.ts'

const server = await openServer()
const admin = await server.build.user({ admin: true })
await server.build.setting('user:sso', true)
const [idp, other] = await Promise.all([startOidcIdp(), startOidcIdp()])
afterAll(async () => {
  await Promise.all([idp.close(), other.close()])
})

let serial = 0
const unused = () => `company${(serial += 1)}.example.com`
const place = (answer: Answer) => [answer.status, answer.headers.get('location')]
const to = (url: URL) => `${url.pathname}${url.search}`

/** An active provider; `domain` null: people choose it themselves. */
async function provider(at = idp, domain: string | null = unused(), options: object = {}) {
  const name = `Company ${(serial += 1)}`
  const { id } = await admin.client.call('sso.create', {
    body: { name, type: 'oidc', ...(domain === null ? {} : { domainFilter: domain }) },
  })
  at.provide(`${server.config.baseUrl}/ee/sso/oidc/${id}/callback`)
  const all = { issuer: at.issuer, clientId: at.clientId, clientSecret, createAccounts: true, ...options }
  await admin.client.call('sso.update', { params: { providerId: id }, body: { active: true, options: all } })
  return { id, name, domain }
}

/** Begins a sign-in in a new browser, or in one with this cookie. */
async function begin(id: string, returnTo = '/', cookie = '') {
  const path = `/ee/sso/login?provider=${id}&r=${encodeURIComponent(returnTo)}`
  const answer = await send(server.address, 'GET', path, { headers: { cookie } })
  return { place: answer.headers.get('location')!, browser: `sso=${cookieOf(answer, 'sso')}` }
}
const bring = (path: string, browser: string) => send(server.address, 'GET', path, { headers: { cookie: browser } })

async function whole(id: string, person: Person, returnTo?: string): Promise<Answer> {
  const { place: address, browser } = await begin(id, returnTo)
  return bring(to(await idp.signIn(address, person)), browser)
}
const sessionOf = (answer: Answer) => cookieOf(answer, server.app.services.sessionCookie.name)
const whoIs = (answer: Answer) =>
  clientWith(server.address, 'cookie', `${server.app.services.sessionCookie.name}=${sessionOf(answer)}`).call(
    'account.get',
  )
const signIns = async (id: string) => (await admin.client.call('sso.signIns', { params: { providerId: id } })).signIns
const ada = (domain: string | null, more: object = {}): Person => ({
  sub: `ada-${domain}`,
  email: `ada@${domain ?? 'free.example.com'}`,
  name: 'Ada L.',
  groups: ['bakers', 'night shift'],
  ...more,
})

test('a person signs in, comes to the page first asked for, and is the same account the next time', async () => {
  const { id, domain } = await provider()
  const first = await whole(id, ada(domain), '/team/bakers?tab=1')
  expect(place(first)).toEqual([303, '/team/bakers?tab=1'])
  const user = await whoIs(first)
  expect(user).toMatchObject({ username: 'ada', name: 'Ada L.', email: `ada@${domain}`, email_verified: true })
  expect(await whoIs(await whole(id, ada(domain)))).toMatchObject({ id: user.id })
  const [last] = await signIns(id)
  expect(last).toMatchObject({ result: 'signed-in', subject: `ada-${domain}`, created: false })
  expect(last!.sent).toMatchObject({ email: `ada@${domain}`, groups: ['bakers', 'night shift'] })
  expect(Object.keys(last!.sent)).not.toContain('nonce')
})

test('the request has PKCE, a state and a nonce, and the client secret is shown nowhere', async () => {
  const { id } = await provider(idp, undefined, { scopes: 'profile address' })
  const query = new URL((await begin(id)).place).searchParams
  expect(query.get('code_challenge_method')).toBe('S256')
  expect(query.get('code_challenge')).toMatch(/^[\w-]{43}$/)
  expect(query.get('scope')).toBe('openid email profile address')
  for (const name of ['state', 'nonce']) expect(query.get(name)!.length).toBeGreaterThan(40)
  const shown = await admin.client.call('sso.get', { params: { providerId: id } })
  expect(shown.options.clientSecret).toBe(true)
  const { read } = server.app.database
  const rows = await read.selectFrom('sso_providers').selectAll().execute()
  const log = await read.selectFrom('audit_log').selectAll().execute()
  expect(JSON.stringify([rows, log, shown])).not.toContain(clientSecret)
})

test('everybody reads names and ids of the active providers to choose from, until single sign-on is off', async () => {
  const { id, name } = await provider(idp, null)
  const { id: second } = await provider()
  await admin.client.call('sso.update', { params: { providerId: second }, body: { name: 'A Bakery' } })
  const { id: saml } = await admin.client.call('sso.create', { body: { name: 'XML', domainFilter: unused() } })
  const settings = async () => server.build.anonymous.call('settings.get')
  const choices = (await settings())['sso:providers']!
  expect(choices).toContainEqual({ id, name })
  expect(choices[0]).toEqual({ id: second, name: 'A Bakery' })
  expect(JSON.stringify(choices)).not.toContain(saml)
  await admin.client.call('sso.update', { params: { providerId: id }, body: { active: false } })
  expect((await settings())['sso:providers']).not.toContainEqual({ id, name })
  expect((await begin(id)).place).toBe('/?sso=provider_inactive')
  await server.build.setting('user:sso', false)
  expect(await settings()).not.toHaveProperty(['sso:providers'])
  await server.build.setting('user:sso', true)
})

test('an address begins 300 sign-ins in a minute, and then none until the next', async () => {
  const clock = testClock()
  const busy = await startServer({ clock })
  onTestFinished(() => busy.close())
  await busy.build.setting('user:sso', true)
  const places = async (times: number) => {
    const answers: (string | null)[] = []
    for (let time = 0; time < times; time += 1)
      answers.push((await send(busy.address, 'GET', '/ee/sso/login?provider=none')).headers.get('location'))
    return [...new Set(answers)]
  }
  clock.turn(60_000)
  expect(await places(300)).toEqual(['/?sso=provider_inactive'])
  expect(await places(2)).toEqual(['/?sso=too_many_requests'])
  clock.turn(60_000)
  expect(await places(1)).toEqual(['/?sso=provider_inactive'])
})

test('without a domain of its own, a provider speaks only for addresses that it calls verified', async () => {
  const { id } = await provider(idp, null)
  expect(place(await whole(id, ada(null)))).toEqual([303, '/?sso=unproven_address'])
  const verified = await whole(id, ada(null, { email_verified: true }))
  expect(await whoIs(verified)).toMatchObject({ email: 'ada@free.example.com' })
  const owned = await provider()
  expect(place(await whole(owned.id, ada('elsewhere.example.com', { email_verified: true })))).toEqual([
    303,
    '/?sso=foreign_address',
  ])
})

test('an address that the provider calls unverified opens and makes no account, also one of its domain', async () => {
  const { id, domain } = await provider()
  const user = await server.build.user()
  const { database } = server.app
  await database.transact((tx) =>
    updateUser(tx, user.id, { email: `owner@${domain}`, email_key: `owner@${domain}`, sso_enabled: 1, updated_at: 0 }),
  )
  for (const email_verified of [false, 'false'])
    for (const name of ['owner', 'stranger']) {
      const person = { sub: `self-registered-${name}`, email: `${name}@${domain}`, email_verified }
      expect(place(await whole(id, person))).toEqual([303, '/?sso=unproven_address'])
    }
  const kept = { result: 'refused', reason: 'unproven_address', detail: 'email_verified is false' }
  expect(await signIns(id)).toEqual(Array.from({ length: 4 }, () => expect.objectContaining(kept)))
  expect(
    await database.read.selectFrom('users').select('id').where('email_key', 'like', `%@${domain}`).execute(),
  ).toEqual([{ id: user.id }])
  // A linked person is known by the subject, whatever becomes of the address.
  const first = await whoIs(await whole(id, ada(domain)))
  expect(await whoIs(await whole(id, ada(domain, { email_verified: false })))).toMatchObject({ id: first.id })
})

test('an answer counts in the browser alone that began, and once', async () => {
  const { id, domain } = await provider()
  const { place: address, browser } = await begin(id)
  const path = to(await idp.signIn(address, ada(domain)))
  for (const stranger of ['', 'sso=ffso_of-another-browser'])
    expect(place(await bring(path, stranger))).toEqual([303, '/?sso=wrong_browser'])
  const good = await bring(path, browser)
  expect(sessionOf(good)).toBeDefined()
  const again = await bring(path, browser)
  expect([place(again), sessionOf(again)]).toEqual([[303, '/?sso=wrong_browser'], undefined])
  expect((await signIns(id)).map(({ result }) => result)).toEqual(['refused', 'signed-in', 'refused', 'refused'])
})

test('a code from one sign-in does not end another, and the nonce must be that of the request', async () => {
  const { id, domain } = await provider()
  const [first, second] = [await begin(id), await begin(id)]
  const stolen = await idp.signIn(first.place, ada(domain))
  const own = await idp.signIn(second.place, { sub: 'mallory', email: `mallory@${domain}` })
  own.searchParams.set('code', stolen.searchParams.get('code')!)
  expect(place(await bring(to(own), second.browser))).toEqual([303, '/?sso=provider_refused'])

  const third = await begin(id)
  const foreign = new URL(third.place)
  foreign.searchParams.set('nonce', new URL(first.place).searchParams.get('nonce')!)
  const answer = await bring(to(await idp.signIn(foreign.href, ada(domain))), third.browser)
  expect(place(answer)).toEqual([303, '/?sso=invalid_response'])
  expect((await signIns(id))[0]!.detail).toMatch(/nonce/)
})

test('an answer of one provider does not count for another', async () => {
  const [one, two] = [await provider(idp), await provider(other)]
  const { place: address, browser } = await begin(one.id)
  const honest = await idp.signIn(address, ada(one.domain))
  const moved = to(honest).replace(one.id, two.id)
  expect(place(await bring(moved, browser))).toEqual([303, '/?sso=wrong_issuer'])
  honest.searchParams.set('iss', other.issuer)
  expect(place(await bring(to(honest), browser))).toEqual([303, '/?sso=wrong_issuer'])
})

test('no address leads away from the console', async () => {
  const { id, domain } = await provider()
  for (const away of ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])
    expect(place(await whole(id, ada(domain), away))).toEqual([303, '/'])
})

test('a refusal, and a provider that does not answer, are told and kept', async () => {
  const { id } = await provider()
  const { place: address, browser } = await begin(id)
  expect(place(await bring(to(await idp.signIn(address)), browser))).toEqual([303, '/?sso=provider_refused'])
  expect((await signIns(id))[0]).toMatchObject({
    reason: 'provider_refused',
    detail: 'access_denied: The person said no',
  })
  const silent = await provider(idp, undefined, { issuer: `http://127.0.0.1:${await freePort()}` })
  expect((await begin(silent.id)).place).toBe('/?sso=provider_unreachable')
  expect((await signIns(silent.id))[0]).toMatchObject({ result: 'refused', reason: 'provider_unreachable' })
  expect(place(await bring(`/ee/sso/oidc/${id}/callback`, browser))).toEqual([303, '/?sso=unsolicited'])
  expect(place(await bring('/ee/sso/oidc/none/callback?state=x', browser))).toEqual([303, '/?sso=provider_inactive'])
})

test('an issuer without TLS is for this machine alone, and a provider needs its options to be active', async () => {
  const { id } = await admin.client.call('sso.create', { body: { name: 'Bare', type: 'oidc' } })
  const update = (body: object) => admin.client.call('sso.update', { params: { providerId: id }, body })
  await expect(update({ options: { issuer: 'http://idp.example.com' } })).rejects.toMatchObject({ status: 400 })
  await expect(update({ active: true })).rejects.toMatchObject({ status: 400 })
  await expect(update({ active: true, options: { issuer: 'https://idp.example.com' } })).rejects.toMatchObject({
    status: 400,
  })
  await expect(update({ options: { cert: 'x' } })).rejects.toMatchObject({ status: 400 })
})
