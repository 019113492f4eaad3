import { expect, test } from 'vitest'
import { cookieOf, hashesOf, openServer, password, send, testClock } from '../../../testing/index.ts'
import { createGuesses } from './guesses.service.ts'

const minute = 60_000
const clock = testClock()
const server = await openServer({ clock, config: { trustProxy: ['loopback'] } })

const login = (body: unknown, headers: Record<string, string> = {}) =>
  send(server.address, 'POST', '/account/login', { body, headers })
/** The same without a connection, for many of them. */
const inject = async (payload: object, remoteAddress: string) =>
  (await server.app.http.inject({ method: 'POST', url: '/account/login', payload, remoteAddress })).statusCode
const from = (address: string) => ({ 'x-forwarded-for': address })

test('ten of 10,000 guesses at one account from everywhere are judged', async () => {
  const { id, username } = await server.build.user()
  const statuses = new Map<number, number>()
  // A thousand as they come over HTTP; the others are held against what all servers count.
  const elsewhere = createGuesses({ database: server.app.database, clock })
  const ask = async (address: string) =>
    elsewhere.guess({ account: id, address }).then(
      () => 401,
      (failure: { status: number }) => failure.status,
    )
  for (let wave = 0; wave < 100; wave++) {
    const guess = wave % 10 === 0 ? (address: string) => inject({ username, password: 'guess' }, address) : ask
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => guess(`10.${wave}.0.${n}`)))
    for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  expect(statuses).toEqual(
    new Map([
      [401, 10],
      [429, 9_990],
    ]),
  )
}, 300_000)

test('guesses at two hundred names from one address end after thirty', async () => {
  const names = Array.from({ length: 200 }, (_, n) => `name-${n}`)
  const statuses = await Promise.all(names.map((username) => inject({ username, password: 'guess' }, '192.0.2.1')))
  expect(statuses.filter((status) => status === 401)).toHaveLength(30)
  expect(statuses.filter((status) => status === 429)).toHaveLength(170)
}, 120_000)

test('guesses from a hundred addresses of one IPv6 network end after thirty', async () => {
  const guess = (n: number) => inject({ username: `v6-${n}`, password: 'guess' }, `2001:db8:1:2:${n.toString(16)}::1`)
  const statuses = await Promise.all(Array.from({ length: 100 }, (_, n) => guess(n)))
  expect(statuses.filter((status) => status === 401)).toHaveLength(30)
  expect(await inject({ username: 'v6', password: 'guess' }, '2001:db8:1:3::1')).toBe(401)
}, 60_000)

test('who guesses locks nobody out for longer than a quarter of an hour', async () => {
  const { username } = await server.build.user()
  for (let i = 0; i < 12; i++) await login({ username, password: 'guess' }, from(`10.200.0.${i}`))
  expect((await login({ username, password }, from('10.201.0.1'))).status).toBe(429)
  clock.turn(15 * minute)
  expect((await login({ username, password }, from('10.201.0.1'))).status).toBe(200)
})

test('a refused sign-in is in the log, with the user if there is one and never with what was typed', async () => {
  const user = await server.build.user()
  await login({ username: user.username, password: 'hunter2-typed' }, from('192.0.2.5'))
  await login({ username: 'nobody-typed', password: 'x' }, from('192.0.2.6'))
  const entries = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('address', 'in', ['192.0.2.5', '192.0.2.6'])
    .orderBy('id')
    .execute()
  expect(entries).toMatchObject([
    { event: 'account.login', scope_id: user.id, trigger_type: 'unknown' },
    { event: 'account.login', scope_id: 'unknown', trigger_type: 'unknown' },
  ])
  expect(entries.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
    { user: { id: user.id }, error: { code: 'unauthorized' } },
    { error: { code: 'unauthorized' } },
  ])
  expect(JSON.stringify(entries)).not.toContain('typed')
})

test('an unknown name costs the same work as a wrong password, and is told the same', async () => {
  const { username } = await server.build.user()
  const told: unknown[] = []
  const guess = async (name: string, address: string) =>
    hashesOf(async () => {
      const { status, json } = await login({ username: name, password: 'guess' }, from(address))
      told.push([status, json])
    })
  expect([await guess(username, '10.210.1.1'), await guess('unknown', '10.210.2.1')]).toEqual([1, 1])
  expect(told[0]).toEqual(told[1])
})

test('a cookie that was changed, cut or made up signs nobody in', async () => {
  const { cookie } = await server.build.user()
  const [name, token = ''] = cookie.split('=')
  const flip = (at: number) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
  const tokens = [flip(5), flip(token.length - 1), token.slice(0, -1), `${token}A`, token.toUpperCase(), 'null', '']
  for (const one of [...tokens, `${token}; sid=other`.replace(token, flip(9)), `" or 1=1 --`, 'x'.repeat(4_000)]) {
    const answer = await send(server.address, 'GET', '/api/v1/user', { headers: { cookie: `${name}=${one}` } })
    expect([one, answer.status]).toEqual([one, 401])
  }
  expect((await send(server.address, 'GET', '/api/v1/user', { headers: { cookie } })).status).toBe(200)
})

const foreign: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
]
test.each(foreign)('a form on another site changes nothing: %o', async (headers) => {
  const user = await server.build.user()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const writes: [string, string, string][] = [
    ['POST', '/account/login', `username=${user.username}&password=${encodeURIComponent(password)}`],
    ['POST', '/account/logout', ''],
    ['POST', '/account/register', 'username=x'],
    ['POST', '/account/forgot_password', 'email=a%40b.c'],
    ['POST', '/account/reset_password/x', 'password=x'],
    ['POST', '/account/verify/x', ''],
    ['POST', '/account/email_change', 'email=a%40b.c'],
    ['PUT', '/api/v1/user', 'email=a%40b.c'],
    ['PUT', '/api/v1/user/change_password', 'password=x'],
    ['DELETE', '/api/v1/user', ''],
    ['DELETE', '/api/v1/user/sessions', ''],
  ]
  for (const [method, path, body] of writes) {
    const answer = await send(server.address, method, path, {
      headers: { cookie: user.cookie, ...form, ...headers },
      ...(body === '' ? {} : { body }),
    })
    expect([path, answer.status, answer.json.code]).toEqual([path, 403, 'cross_origin'])
    expect(cookieOf(answer, 'sid')).toBeUndefined()
  }
  expect((await send(server.address, 'GET', '/api/v1/user', { headers: { cookie: user.cookie } })).status).toBe(200)
})

test.each(['/account/login', '/account/register', '/account/forgot_password', '/account/reset_password/x'])(
  'a body of a megabyte to %s is refused before anything is done with it',
  async (path) => {
    const body = { username: 'a', email: 'a@b.c', password: 'x'.repeat(1_000_000) }
    const answer = await send(server.address, 'POST', path, { body }).catch(() => undefined)
    // A client that goes on sending may find the connection closed.
    expect([413, undefined]).toContain(answer?.status)
  },
)

test('deep, endless and polluting JSON does no harm', async () => {
  const bodies = [
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    '{"__proto__":{"admin":true},"username":"a"}',
    '{"username":',
  ]
  for (const body of bodies) {
    const answer = await login(body)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  }
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})
