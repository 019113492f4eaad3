import { expect, onTestFinished, test } from 'vitest'
import { type Answer, cookieOf, openPlatform, password, send, startServer } from '../../../testing/index.ts'

const { server, owner, team } = await openPlatform()

const call = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie: owner.cookie, ...headers }, body })
const rename = (headers: Record<string, string>, body: unknown = { name: 'Renamed' }) =>
  call('PUT', `/api/v1/teams/${team.id}`, headers, body)
const nameNow = async () => (await owner.client.call('team.get', { params: { teamId: team.id } })).name

/**
 * Status and code of a refusal.
 * @throws Error when it is not the envelope, or tells something about the inside of the server.
 */
function refusalOf({ status, json, text, headers }: Answer): { status: number; code: unknown } {
  const keys = Object.keys(json).filter((key) => key !== 'fields')
  const whole = keys.toSorted().join() === 'code,error,message,statusCode' && json.statusCode === status
  const spoken = typeof json.message === 'string' && /\w/.test(json.message) && json.message === json.error
  const leaking = /FST_|\.ts\b|\/(work|home|usr|tmp)\/|stack|sqlite|select /i.test(text)
  if (!whole || !spoken || leaking || headers.get('x-content-type-options') !== 'nosniff') throw new Error(text)
  return { status, code: json.code }
}

test.each([
  ['a body cut off', '{"name":'],
  ['no JSON at all', 'name=x'],
  ['a prototype', '{"__proto__":{"admin":true},"name":"x"}'],
  ['a constructor', '{"constructor":{"prototype":{"admin":true}},"name":"x"}'],
  ['an array', '[1]'],
  ['a text', '"x"'],
  ['a number', '1'],
  ['the wrong type', '{"name":{"$gt":""}}'],
  ['a nul byte', '{"name":"a\u0000b"'],
  ['a deep nest', '['.repeat(20_000)],
])('[API-08] %s is refused with a sentence and changes nothing', async (_name, body) => {
  const before = await nameNow()
  expect(refusalOf(await rename({}, body))).toEqual({ status: 400, code: 'invalid_request' })
  expect(await nameNow()).toBe(before)
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

test('a body of 1 MB is too large, and so is one of 64 KiB and a byte', async () => {
  expect(refusalOf(await rename({}, { name: 'x'.repeat(1_048_576) }))).toEqual({ status: 413, code: 'too_large' })
  expect(refusalOf(await rename({}, `"${'x'.repeat(65_535)}"`))).toEqual({ status: 413, code: 'too_large' })
  expect(refusalOf(await rename({}, `"${'x'.repeat(65_534)}"`))).toEqual({ status: 400, code: 'invalid_request' })
})

test('[API-01] a body that is not JSON is refused as such', async () => {
  expect(refusalOf(await rename({ 'content-type': 'application/xml' }, '<x/>'))).toEqual({
    status: 415,
    code: 'invalid_request',
  })
  expect(refusalOf(await rename({ 'content-type': 'text/plain' }, 'x'))).toEqual({
    status: 400,
    code: 'invalid_request',
  })
  expect(refusalOf(await call('PUT', `/api/v1/teams/${team.id}`, { 'content-type': 'application/json' }))).toEqual({
    status: 400,
    code: 'invalid_request',
  })
})

test('every field at fault is named, and unknown ones count for nothing', async () => {
  const answer = await call('POST', '/api/v1/setup', {}, { token: 1, username: 'a b', email: 'x', password: 'short' })
  expect(refusalOf(answer)).toEqual({ status: 400, code: 'invalid_request' })
  expect(Object.keys(answer.json.fields as object).sort()).toEqual(['email', 'password', 'token', 'username'])
  expect(
    (await rename({}, { name: 'Renamed', id: 'x', slug: undefined, created_at: 1, type: 'y' })).json,
  ).toMatchObject({ id: team.id, name: 'Renamed' })
})

test.each([
  'no',
  '%00',
  '..%2f..%2fetc',
  "'%20or%201=1",
  '💥',
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(600),
  '__proto__',
  'constructor',
])('the id %s is simply not there', async (id) => {
  expect(refusalOf(await call('GET', `/api/v1/teams/${id}`))).toEqual({ status: 404, code: 'not_found' })
  expect(refusalOf(await call('GET', `/api/v1/projects/${id}/logs`))).toEqual({ status: 404, code: 'not_found' })
})

test('an address that is none, an unknown path and an unknown method are refused in the envelope', async () => {
  expect(refusalOf(await call('GET', '/api/v1/teams/%zz'))).toEqual({ status: 400, code: 'invalid_request' })
  expect(refusalOf(await call('GET', '/api/v1/unknown'))).toEqual({ status: 404, code: 'not_found' })
  expect(refusalOf(await call('GET', '/api/v1/unknown', { accept: 'text/html' }))).toEqual({
    status: 404,
    code: 'not_found',
  })
  expect(refusalOf(await call('PATCH', `/api/v1/teams/${team.id}`))).toEqual({ status: 404, code: 'not_found' })
  expect((await call('GET', `/api/v1/teams/${team.id}/`)).json).toMatchObject({ id: team.id })
})

test('[API-08] an exception shows nothing of itself', async () => {
  const original = server.app.database.transact
  server.app.database.transact = () => Promise.reject(new Error('select * from users at /work/secret.ts:1:2'))
  const answer = await rename({})
  server.app.database.transact = original
  expect(refusalOf(answer)).toEqual({ status: 500, code: 'unexpected_error' })
  // The operator of the server finds it in the log by this.
  expect(answer.json.message).toContain(`request id ${answer.headers.get('x-request-id')}`)
  expect(server.faults.splice(0)).toHaveLength(1)
})

test('an answer names its request: by an id of our own, or by that of a proxy that is believed', async () => {
  const given = { 'x-request-id': '0123456789abcdef' }
  const idOf = ({ headers }: Answer) => headers.get('x-request-id')
  const ids = [idOf(await call('GET', '/api/v1/user')), idOf(await call('GET', '/api/v1/user', given))]
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/)
  expect(new Set([...ids, given['x-request-id']]).size).toBe(3)
  const behind = await startServer({ config: { trustProxy: ['loopback'] } })
  onTestFinished(() => behind.close())
  const ask = (id: string) => send(behind.address, 'GET', '/api/v1/settings', { headers: { 'x-request-id': id } })
  expect(idOf(await ask(given['x-request-id']))).toBe(given['x-request-id'])
  expect(idOf(await ask('a "line" of its own'))).toMatch(/^[0-9a-f]{16}$/)
})

test.each([
  ['another site', { origin: 'https://evil.example' }],
  ['an instance', () => ({ origin: `http://evil.localhost:${server.config.port}` })],
  ['a sandboxed frame', { origin: 'null' }],
  ['another port', { origin: 'http://localhost:1' }],
  ['the same host over TLS', () => ({ origin: server.config.baseUrl.replace('http', 'https') })],
  ['a cross-site form without Origin', { 'sec-fetch-site': 'cross-site' }],
  ['a same-site form without Origin', { 'sec-fetch-site': 'same-site' }],
  ['another site with basic authorization', { origin: 'https://evil.example', authorization: 'Basic eDp5' }],
])('a write from %s is refused whoever the cookie belongs to', async (_name, headers) => {
  const before = await nameNow()
  const sent: Record<string, string> = typeof headers === 'function' ? headers() : headers
  expect(refusalOf(await rename(sent, { name: 'Stolen' }))).toEqual({ status: 403, code: 'cross_origin' })
  expect(
    refusalOf(
      await send(server.address, 'POST', '/account/login', {
        headers: sent,
        body: { username: owner.username, password },
      }),
    ),
  ).toEqual({ status: 403, code: 'cross_origin' })
  expect(refusalOf(await call('POST', '/account/logout', sent))).toEqual({
    status: 403,
    code: 'cross_origin',
  })
  expect(await nameNow()).toBe(before)
})

test('writes of the console itself and of programs pass, reads pass from anywhere', async () => {
  const own = { origin: server.config.baseUrl }
  const good: Record<string, string>[] = [own, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}]
  for (const headers of good) expect((await rename(headers)).status).toBe(200)
  const read = await call('GET', '/api/v1/user', { origin: 'https://evil.example' })
  expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, null])
})

test('a bearer token speaks for itself: the cookie beside it counts for nothing', async () => {
  const instance = await server.build.runningInstance(owner, await server.build.application(owner, team))
  const authorization = `Bearer ${await server.build.instanceToken(instance)}`
  expect(refusalOf(await rename({ authorization, origin: 'https://evil.example' }))).toEqual({
    status: 403,
    code: 'unauthorized',
  })
  expect(refusalOf(await rename({ authorization: 'Bearer no', origin: 'https://evil.example' }))).toEqual({
    status: 401,
    code: 'unauthorized',
  })
})

test('a client behind no trusted proxy cannot choose its address', async () => {
  const user = await server.build.user()
  const body = { username: user.username, password }
  const answer = await send(server.address, 'POST', '/account/login', {
    body,
    headers: { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' },
  })
  const { sessions } = (await call('GET', '/api/v1/user/sessions', { cookie: `sid=${cookieOf(answer, 'sid')}` }))
    .json as { sessions: { address: string }[] }
  expect(sessions.map(({ address }) => address)).toEqual(['127.0.0.1', '127.0.0.1'])
})

test('answers of calls are kept by nobody, and every answer forbids sniffing, framing and scripts', async () => {
  const { headers } = await call('GET', '/api/v1/user')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(headers.get('x-frame-options')).toBe('DENY')
  const denied = headers.get('permissions-policy')?.split(', ')
  expect(denied).toEqual(expect.arrayContaining(['camera=()', 'geolocation=()', 'microphone=()', 'usb=()']))
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('x-powered-by')).toBeNull()
  expect(headers.get('strict-transport-security')).toBeNull()
})
