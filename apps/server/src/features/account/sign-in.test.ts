import { expect, test } from 'vitest'
import { type Answer, cookieOf, openServer, password, send, testClock } from '../../../testing/index.ts'

const minute = 60_000
const clock = testClock()
const server = await openServer({ clock, config: { trustProxy: ['loopback'] } })
const person = await server.build.user({ username: 'Ada-1' })

/** A try from an address of its own unless told, so that no test uses up another's. */
let serial = 0
function signIn(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const address = `10.0.0.${(serial += 1)}`
  return send(server.address, 'POST', '/account/login', { body, headers: { 'x-forwarded-for': address, ...headers } })
}
const guess = (username: string, headers?: Record<string, string>) => signIn({ username, password: 'wrong' }, headers)
const whoIs = (cookie: string) => send(server.address, 'GET', '/api/v1/user', { headers: { cookie } })

test.each(['Ada-1', 'ada-1', 'ADA-1', 'Ada-1@example.com', 'ADA-1@EXAMPLE.COM'])(
  '[API-13] %s signs in: an empty answer and a cookie that is the session',
  async (username) => {
    const answer = await signIn({ username, password })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect((await whoIs(`sid=${cookieOf(answer, 'sid')}`)).json).toMatchObject({ username: 'Ada-1' })
  },
)

test('[LOGIN-02] [API-13] without a password, or with an empty one, the answer asks for one, whoever the user is', async () => {
  const answers = [
    await signIn({ username: 'Ada-1' }),
    await signIn({ username: 'nobody' }),
    await signIn({ username: 'Ada-1', password: '' }),
  ]
  expect(answers.map(({ status, json }) => [status, json.code])).toEqual([
    [401, 'password_required'],
    [401, 'password_required'],
    [401, 'password_required'],
  ])
  expect(answers[0]?.text).toBe(answers[1]?.text)
})

test('[API-13] a wrong password and an unknown user get the same answer', async () => {
  const [wrong, unknown] = [await guess('Ada-1'), await guess('nobody')]
  expect(wrong).toMatchObject({ status: 401, json: { code: 'unauthorized', error: 'unauthorized' } })
  expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text])
  expect(cookieOf(wrong, 'sid')).toBeUndefined()
})

test.each([
  [{ username: '' }, 'username'],
  [{ username: 'x'.repeat(255), password }, 'username'],
  [{ username: { $ne: 1 }, password }, 'username'],
  [{ username: 'ada-1', password: 'x'.repeat(1025) }, 'password'],
  [{ username: 'ada-1', password: ['a'] }, 'password'],
])('a malformed sign-in names its field (%#)', async (body, field) => {
  const answer = await signIn(body)
  expect(answer).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', fields: { [field]: expect.any(String) } },
  })
})

test('a suspended user learns it with the right password only, and open sessions end at once', async () => {
  const user = await server.build.user()
  await server.app.database.read.updateTable('users').set({ suspended: 1 }).where('id', '=', user.id).execute()
  expect((await guess(user.username)).json.code).toBe('unauthorized')
  expect(await signIn({ username: user.username, password })).toMatchObject({
    status: 403,
    json: { code: 'user_suspended' },
  })
  expect((await whoIs(user.cookie)).status).toBe(401)
})

test('sign-ins and sign-outs are in the audit log with who and from where', async () => {
  const user = await server.build.user()
  const answer = await signIn({ username: user.username, password }, { 'x-forwarded-for': '192.0.2.7' })
  const headers = { cookie: `sid=${cookieOf(answer, 'sid')}`, 'x-forwarded-for': '192.0.2.8' }
  expect((await send(server.address, 'POST', '/account/logout', { headers })).json).toEqual({ status: 'okay' })
  const entries = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('scope_id', '=', user.id)
    .orderBy('id')
    .execute()
  const by = { scope_type: 'user', trigger_id: user.id, trigger_type: 'user', username: user.username, body: '{}' }
  expect(entries).toMatchObject([
    { ...by, event: 'account.login', address: '192.0.2.7' },
    { ...by, event: 'account.logout', address: '192.0.2.8' },
  ])
})

test('ten failures close an account by name and e-mail alike, and it opens again after 15 minutes', async () => {
  const { username } = await server.build.user()
  for (let i = 0; i < 10; i++) {
    expect((await guess(i % 2 ? username.toUpperCase() : `${username}@example.com`)).status).toBe(401)
  }
  const refused = await signIn({ username, password })
  expect(refused).toMatchObject({ status: 429, json: { code: 'too_many_requests' } })
  expect(refused.headers.get('retry-after')).toBe('900')
  clock.turn(15 * minute - 1)
  expect((await signIn({ username, password })).status).toBe(429)
  clock.turn(1)
  expect((await signIn({ username, password })).status).toBe(200)
})

test('a success forgets the failures before it', async () => {
  const { username } = await server.build.user()
  for (let i = 0; i < 9; i++) await guess(username)
  expect((await signIn({ username, password })).status).toBe(200)
  for (let i = 0; i < 9; i++) expect((await guess(username)).status).toBe(401)
  expect((await signIn({ username, password })).status).toBe(200)
})

test('thirty failures close an address for every account, and successes do not count', async () => {
  const from = { 'x-forwarded-for': '192.0.2.30' }
  for (let i = 0; i < 5; i++) expect((await signIn({ username: 'ada-1', password }, from)).status).toBe(200)
  for (let i = 0; i < 30; i++) expect((await guess(`nobody-${i}`, from)).status).toBe(401)
  expect((await signIn({ username: 'ada-1', password }, from)).status).toBe(429)
  expect((await signIn({ username: 'ada-1', password })).status).toBe(200)
})

test('guesses made at once are counted before they are judged', async () => {
  const { username } = await server.build.user()
  const statuses = await Promise.all(Array.from({ length: 25 }, async () => (await guess(username)).status))
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(15)
})

test('guesses at the old password are counted by their session, and do not close the sign-in', async () => {
  const user = await server.build.user()
  const change = (old_password: string) =>
    send(server.address, 'PUT', '/api/v1/user/change_password', {
      headers: { cookie: user.cookie },
      body: { old_password, password: 'another password' },
    })
  for (let i = 0; i < 10; i++) expect((await change('wrong')).json.code).toBe('password_change_failed')
  expect(await change(password)).toMatchObject({ status: 429, json: { code: 'too_many_requests' } })
  expect((await signIn({ username: user.username, password })).status).toBe(200)
})

test('the count of a database does not grow with windows that have ended', async () => {
  for (let i = 0; i < 5; i++) await guess(`stray-${i}`)
  clock.turn(16 * minute)
  await signIn({ username: 'ada-1', password })
  const rows = await server.app.database.read.selectFrom('rate_limits').select('key').execute()
  expect(rows.filter(({ key }) => key.startsWith('account:stray'))).toEqual([])
  expect((await whoIs(person.cookie)).status).toBe(200)
})
