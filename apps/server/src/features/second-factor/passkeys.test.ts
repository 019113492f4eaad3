import { expect, onTestFinished, test } from 'vitest'
import {
  type Answer,
  cookieOf,
  createAuthenticator,
  createFactors,
  openServer,
  password,
  send,
  startServer,
  testClock,
  type TestUser,
} from '../../../testing/index.ts'

const clock = testClock()
const server = await openServer({ clock, config: { trustProxy: ['loopback'] } })
const factors = createFactors(server, clock)
const place = { origin: server.config.baseUrl, rpId: 'localhost' }

const proof = { password }
let serial = 0
function call(user: TestUser, path: string, body: unknown): Promise<Answer> {
  const headers = { cookie: user.cookie, 'x-forwarded-for': `10.3.0.${(serial += 1)}` }
  return send(server.address, 'POST', path, { headers, body })
}
const renew = '/api/v1/user/mfa/recovery-codes'
const options = (user: TestUser) => user.client.call('secondFactor.startPasskey', { body: { proof } })
const add = (user: TestUser, passkey: unknown) => call(user, '/api/v1/user/mfa/passkeys', { name: 'Laptop', passkey })

test('a passkey is added with its name, and signs in after the password', async () => {
  const user = await server.build.user()
  const { authenticator, recoveryCodes } = await factors.passkey(user)
  expect(recoveryCodes).toHaveLength(10)
  const { headers } = await factors.step(user)
  const { json } = await send(server.address, 'POST', '/account/login/challenge', { headers })
  expect(json).toMatchObject({
    methods: ['passkey', 'recovery'],
    passkey: { rpId: 'localhost', allowCredentials: [{ id: authenticator.id, transports: ['internal'] }] },
  })
  const passkey = authenticator.get(json.passkey as { challenge: string })
  expect((await factors.answer(headers, { passkey })).status).toBe(200)
  const { factors: list } = await user.client.call('secondFactor.get')
  expect(list).toMatchObject([{ kind: 'passkey', name: 'Key', lastUsedAt: expect.any(String) }])
})

test('the options name the platform, the person, and what the device holds already', async () => {
  const user = await server.build.user({ name: 'Ada Lovelace' })
  expect(await options(user)).toMatchObject({
    rp: { id: 'localhost', name: 'FlowForge' },
    user: { id: Buffer.from(user.id).toString('base64url'), name: user.username, displayName: 'Ada Lovelace' },
    excludeCredentials: [],
    attestation: 'none',
  })
  const { authenticator } = await factors.passkey(user)
  expect(await options(user)).toMatchObject({ excludeCredentials: [{ id: authenticator.id }] })
})

test.each([
  ['another origin', { origin: 'https://evil.example' }],
  ['the page of an instance', { origin: 'http://oven.localhost:3000' }],
  ['another host', { rpId: 'evil.example' }],
])('a passkey made for %s is not added, and one that answers there does not sign in', async (_what, from) => {
  const user = await server.build.user()
  const made = createAuthenticator(place).create(await options(user), from)
  expect(await add(user, made)).toMatchObject({ status: 400, json: { code: 'invalid_code' } })

  const { authenticator } = await factors.passkey(user)
  const { headers } = await factors.step(user)
  const passkey = authenticator.get(await factors.challenge(headers), from)
  expect(await factors.answer(headers, { passkey })).toMatchObject({ status: 400, json: { code: 'invalid_code' } })
})

test('a challenge counts once, for one person, one purpose and five minutes', async () => {
  const [user, other] = [await server.build.user(), await server.build.user()]
  const authenticator = createAuthenticator(place)
  const challenge = await options(user)
  expect((await add(other, authenticator.create(challenge))).status).toBe(400)
  expect((await add(user, authenticator.create(challenge))).status).toBe(200)
  expect((await add(user, createAuthenticator(place).create(challenge))).status).toBe(400)

  const late = await options(user)
  clock.turn(5 * 60_000)
  expect((await add(user, createAuthenticator(place).create(late))).status).toBe(400)
  expect((await add(user, createAuthenticator(place).create({ challenge: 'bm9uZQ' }))).status).toBe(400)

  const { headers } = await factors.step(user)
  const forProof = await user.client.call('secondFactor.challenge')
  expect((await factors.answer(headers, { passkey: authenticator.get(forProof) })).status).toBe(400)
  const asked = await factors.challenge(headers)
  expect((await factors.answer(headers, { passkey: authenticator.get(asked) })).status).toBe(200)
  const again = await factors.step(user)
  expect((await factors.answer(again.headers, { passkey: authenticator.get(asked) })).status).toBe(400)
})

test('a wrong answer uses the challenge up', async () => {
  const user = await server.build.user()
  const { authenticator } = await factors.passkey(user)
  const { headers } = await factors.step(user)
  const challenge = await factors.challenge(headers)
  const good = authenticator.get(challenge)
  const flipped = {
    ...good,
    response: { ...good.response, signature: authenticator.get(challenge).response.signature },
  }
  expect((await factors.answer(headers, { passkey: flipped })).status).toBe(400)
  expect((await factors.answer(headers, { passkey: good })).status).toBe(400)
})

test('the passkey of one does not sign another in, nor is it added to two people', async () => {
  const [user, other] = [await server.build.user(), await server.build.user()]
  const mine = await factors.passkey(user)
  const foreign = await factors.passkey(other)
  const { headers } = await factors.step(user)
  const passkey = foreign.authenticator.get(await factors.challenge(headers))
  expect((await factors.answer(headers, { passkey })).status).toBe(400)
  // With the id of the right one and the signature of the wrong one it is no better.
  const forged = { ...foreign.authenticator.get(await factors.challenge(headers)), id: mine.authenticator.id }
  expect((await factors.answer(headers, { passkey: { ...forged, rawId: mine.authenticator.id } })).status).toBe(400)
  expect((await add(other, mine.authenticator.create(await options(other)))).status).toBe(400)
})

test('a passkey that does not count is accepted; a copied one, whose count lags behind, is refused', async () => {
  const user = await server.build.user()
  const { authenticator } = await factors.passkey(user)
  for (const [rewind, status] of [
    [1, 200],
    [1, 200],
    [0, 200],
    [0, 200],
    [1, 400],
  ] as const) {
    const { headers } = await factors.step(user)
    const passkey = authenticator.get(await factors.challenge(headers), { rewind })
    expect((await factors.answer(headers, { passkey })).status).toBe(status)
  }
})

test('a removed passkey neither signs in nor proves who asks', async () => {
  const user = await server.build.user()
  const { authenticator, id } = await factors.passkey(user)
  await factors.app(user)
  const { headers } = await factors.step(user)
  const challenge = await factors.challenge(headers)
  const forProof = await user.client.call('secondFactor.challenge')
  await user.client.call('secondFactor.remove', { params: { factorId: id }, body: { proof } })
  expect((await factors.answer(headers, { passkey: authenticator.get(challenge) })).status).toBe(400)
  const proven = await call(user, renew, { proof: { passkey: authenticator.get(forProof) } })
  expect(proven).toMatchObject({ status: 400, json: { code: 'invalid_code' } })
  expect((await call(user, '/api/v1/user/mfa/challenge', undefined)).status).toBe(400)
})

test('a passkey proves who asks', async () => {
  const user = await server.build.user()
  const { authenticator } = await factors.passkey(user)
  const passkey = authenticator.get(await user.client.call('secondFactor.challenge'))
  expect((await call(user, renew, { proof: { passkey } })).status).toBe(200)
  expect((await call(user, renew, { proof: { passkey } })).status).toBe(400)
})

test.each([
  ['no data of the client', { clientDataJSON: '' }],
  ['no JSON', { clientDataJSON: Buffer.from('[').toString('base64url') }],
  ['null', { clientDataJSON: Buffer.from('null').toString('base64url') }],
  ['a list', { clientDataJSON: Buffer.from('{"challenge":["x"]}').toString('base64url') }],
  ['nothing attested', { attestationObject: 'oA' }],
  ['noise', { attestationObject: '____' }],
])('an answer with %s is refused like any other', async (_what, part) => {
  const user = await server.build.user()
  const made = createAuthenticator(place).create(await options(user))
  const answer = await add(user, { ...made, response: { ...made.response, ...part } })
  expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_code' } })
})

test('after a change of the host name a passkey is asked for no more, and Health says so; a recovery code lets in, a new one works', async () => {
  const first = await startServer({ clock })
  const { admin } = await first.build.platform()
  const user = await first.build.user()
  const { authenticator, recoveryCodes } = await createFactors(first, clock).passkey(user)
  await first.stop()
  const moved = await startServer({ clock, config: { ...first.config, baseUrl: 'http://forge.example.com' } })
  onTestFinished(() => moved.close())
  const anew = createFactors(moved, clock)
  const health = async () => {
    const { json } = await send(moved.address, 'POST', '/api/v1/admin/health', { headers: { cookie: admin.cookie } })
    return (json.checks as { part: string }[]).find(({ part }) => part === 'Passkeys')
  }
  const challenge = async () => {
    const { headers } = await anew.step(user)
    const { json } = await send(moved.address, 'POST', '/account/login/challenge', { headers })
    return { headers, json }
  }
  expect(await health()).toMatchObject({ state: 'warning', code: 'PASS01', seen: '1 of 1 belongs to localhost.' })
  const without = await challenge()
  expect(without.json).toEqual({ methods: ['recovery'] })
  const opened = await anew.answer(without.headers, { code: recoveryCodes[0] })
  expect(opened.status).toBe(200)

  const headers = { cookie: `sid=${cookieOf(opened, 'sid')}`, origin: 'http://forge.example.com' }
  const { json: offered } = await send(moved.address, 'POST', '/api/v1/user/mfa/passkeys/options', {
    headers,
    body: { proof },
  })
  expect(offered).toMatchObject({ rp: { id: 'forge.example.com' }, excludeCredentials: [] })
  const next = createAuthenticator({ origin: 'http://forge.example.com', rpId: 'forge.example.com' })
  const body = { name: 'Laptop', passkey: next.create(offered as never) }
  expect((await send(moved.address, 'POST', '/api/v1/user/mfa/passkeys', { headers, body })).status).toBe(200)
  const second = await challenge()
  expect(second.json).toMatchObject({
    methods: ['passkey', 'recovery'],
    passkey: { allowCredentials: [{ id: next.id }] },
  })
  expect(JSON.stringify(second.json)).not.toContain(authenticator.id)
  const answer = { passkey: next.get(second.json.passkey as { challenge: string }) }
  expect((await anew.answer(second.headers, answer)).status).toBe(200)
})
