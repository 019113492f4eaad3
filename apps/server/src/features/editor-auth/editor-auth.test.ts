import { type Instance, roles, type TeamRole } from '@app/contract'
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  password,
  send,
  startServer,
  testClock,
  type TestServer,
  type TestTeam,
  type TestUser,
  untilJobsEnded,
} from '../../../testing/index.ts'
import { hashToken } from '../../platform/crypto.ts'

const clock = testClock()
let server: TestServer
let owner: TestUser
let team: TestTeam
let instance: Instance
let client: Client

interface Client {
  id: string
  secret: string
  callback: string
}

/** The cookie of the one browser in which all sign-ins here begin and end. */
const browser = `sign-in=ffsb_${randomBytes(32).toString('base64url')}`
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** The OAuth client that a start gives an instance. */
async function clientOf(made: Instance): Promise<Client> {
  const id = `ffp_${made.id}`
  const secret = randomBytes(16).toString('hex')
  await server.app.database.read
    .updateTable('instances')
    .set({ client_id: id, client_secret_hash: hashToken(secret) })
    .where('id', '=', made.id)
    .execute()
  return { id, secret, callback: `${made.url}/auth/strategy/callback` }
}

/** A row that runs; its process is of no interest here. */
async function settled(name: string): Promise<Instance> {
  const application = await server.build.application(owner, team)
  const made = await server.build.instance(owner, application, name)
  await untilJobsEnded(server.app.database)
  return made
}

beforeAll(async () => {
  server = await startServer({ clock, config: { trustProxy: ['loopback'] } })
  ;({ owner, team } = await server.build.platform())
  instance = await settled('editor-one')
  client = await clientOf(instance)
})
afterAll(async () => server.close())

type Query = Partial<Record<string, string>>

const authorize = (query: Query = {}, cookie?: string, from = '127.0.0.1') => {
  const all = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.callback,
    scope: 'editor-1.9.0',
    state: 'st/+ 1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...query,
  }
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const path = `/account/authorize?${new URLSearchParams(given).toString()}`
  const headers = { 'x-forwarded-for': from, cookie: `${browser}; ${cookie ?? ''}` }
  return send(server.address, 'GET', path, { headers })
}
const location = (answer: Answer) => {
  expect(answer.status).toBe(302)
  return new URL(answer.headers.get('location')!, server.config.baseUrl)
}
const get = (path: string, cookie = '') =>
  send(server.address, 'GET', path, { headers: { cookie: `${browser}; ${cookie}` } })
const exchange = (fields: Query) =>
  send(server.address, 'POST', '/account/token', {
    body: new URLSearchParams(fields as Record<string, string>).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

async function complete(user: TestUser, query: Query = {}): Promise<Answer> {
  const to = location(await authorize(query, user.cookie))
  expect(to.pathname).toMatch(/^\/account\/complete\/[\w-]+$/)
  return get(to.pathname, user.cookie)
}
async function codeFor(user: TestUser, query: Query = {}): Promise<string> {
  const to = location(await complete(user, query))
  expect(to.origin + to.pathname).toBe(query.redirect_uri ?? client.callback)
  expect(to.searchParams.get('state')).toBe('st/+ 1')
  return to.searchParams.get('code')!
}
const fields = (code: string, more: Query = {}): Query => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: client.callback,
  code_verifier: verifier,
  client_id: client.id,
  client_secret: client.secret,
  ...more,
})
const refresh = (token: string, more: Query = {}) =>
  exchange({
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: client.id,
    client_secret: client.secret,
    ...more,
  })

async function signIn(user: TestUser): Promise<Record<string, string>> {
  const answer = await exchange(fields(await codeFor(user)))
  expect(answer.status).toBe(200)
  return answer.json as Record<string, string>
}
const profile = (token: string) =>
  send(server.address, 'GET', '/api/v1/user/', { headers: { authorization: `Bearer ${token}` } })
const role = (user: TestUser, value: number | undefined) => {
  const { read } = server.app.database
  const mine = (query: { where(column: 'user_id', op: '=', value: string): { execute(): Promise<unknown> } }) =>
    query.where('user_id', '=', user.id).execute()
  return value === undefined
    ? mine(read.deleteFrom('team_members'))
    : mine(read.updateTable('team_members').set({ role: value }))
}

describe('the round trip', () => {
  test.each([
    { who: 'owner', number: 50, scope: '*' },
    { who: 'member', number: 30, scope: '*' },
    { who: 'viewer', number: 10, scope: 'read' },
  ])('[PERM-51] [PERM-62] a $who gets scope $scope and the profile', async ({ number, scope }) => {
    const user = await server.build.member(team, number as TeamRole)
    const answer = await exchange(fields(await codeFor(user)))
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ scope, expires_in: 1800, state: 'st/+ 1' })
    expect(answer.json.access_token).toMatch(/^ffu_/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const me = await profile(String(answer.json.access_token))
    expect(me.json).toMatchObject({ id: user.id, username: user.username, name: user.username })
    expect(me.json.avatar).toBeTypeOf('string')
  })

  test('[PERM-62] [PERM-66] a dashboard user is let through to HTTP endpoints, and told in plain text that the editor is closed', async () => {
    const user = await server.build.member(team, 5)
    const refused = await complete(user)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8'])
    expect(refused.text).not.toMatch(/[{}<>]/)
    const http = { scope: 'httpAuth-1.9.0', redirect_uri: `${instance.url}/_ffAuth/callback` }
    const answer = await exchange(fields(await codeFor(user, http), { redirect_uri: http.redirect_uri }))
    expect(answer.json).toMatchObject({ scope: 'http' })
    expect(location(await complete(await server.build.user(), http)).searchParams.get('error')).toBe('access_denied')
  })

  test('a viewer of a launcher that knows no read-only editor is refused in plain text', async () => {
    const viewer = await server.build.member(team, 10)
    const refused = await complete(viewer, { scope: 'editor' })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8'])
    const member = await server.build.member(team, 30)
    expect((await exchange(fields(await codeFor(member, { scope: 'editor' })))).json).toMatchObject({ scope: '*' })
  })

  test('[PERM-76] [PERM-74] a visiting administrator and a stranger go back with access_denied and get no token', async () => {
    for (const user of [await server.build.user({ admin: true }), await server.build.user()]) {
      const back = location(await complete(user))
      expect(back.origin + back.pathname).toBe(client.callback)
      expect(back.searchParams.get('error')).toBe('access_denied')
      expect(back.searchParams.get('errorDescription')).toBeTruthy()
      expect(back.searchParams.get('state')).toBe('st/+ 1')
      expect(back.searchParams.has('code')).toBe(false)
    }
    const { read } = server.app.database
    expect(await read.selectFrom('oauth_requests').select('id').where('code_hash', 'is not', null).execute()).toEqual(
      [],
    )
  })

  test('[ACCT-04] whoever is not signed in is sent to the page that signs in and goes on', async () => {
    const to = location(await authorize())
    expect(to.pathname).toMatch(/^\/account\/request\/[\w-]+\/editor$/)
    const id = to.pathname.split('/')[3]!
    expect((await get(`/account/complete/${id}`)).status).toBe(401)
    const { instance: asked } = (await get(`/api/v1/user/requests/${id}`, owner.cookie)).json
    expect(asked).toEqual({ id: instance.id, name: instance.name })
    expect(location(await get(`/account/complete/${id}`, owner.cookie)).searchParams.get('code')).toMatch(/^ffc_/)
  })

  test('[ACCT-03] refusing goes back with access_denied, and the request is used up', async () => {
    const id = location(await authorize({}, owner.cookie)).pathname.split('/')[3]!
    expect(location(await get(`/account/reject/${id}`, owner.cookie)).searchParams.get('error')).toBe('access_denied')
    expect((await get(`/account/complete/${id}`, owner.cookie)).status).toBe(404)
  })
})

describe('requests', () => {
  test('a wrong or missing client is told so without a redirect', async () => {
    for (const client_id of ['ffp_nobody', undefined, '']) {
      const answer = await authorize({ client_id })
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
      expect(answer.json).toMatchObject({ error: 'invalid_request', description: expect.any(String) as string })
    }
  })

  test('a person whose editor was started under a former address reads what to do', async () => {
    const query = new URLSearchParams({
      client_id: client.id,
      redirect_uri: 'https://editor-one.former.example/auth/strategy/callback',
    })
    const page = await fetch(`${server.address}/account/authorize?${query.toString()}`, {
      headers: { accept: 'text/html,*/*' },
    })
    expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
      400,
      'text/plain; charset=utf-8',
      'This editor was started under an address that the platform does not have any more. Restart the instance in the console, then open its editor there.',
    ])
  })

  test('a redirect_uri outside the instance is refused without a redirect', async () => {
    const { port } = server.config
    const elsewhere = [
      undefined,
      '',
      'https://evil.example/auth/strategy/callback',
      `http://evil.localhost:${port}/`,
      `http://localhost:${port}/`,
      `${instance.url}.evil.example/`,
      `http://editor-one.localhost:${port + 1}/`,
      'javascript:alert(1)',
      '/auth/strategy/callback',
      `http://editor-one.localhost:${port}@evil.example/`,
      `https://editor-one.localhost:${port}/`,
    ]
    for (const redirect_uri of elsewhere) {
      const answer = await authorize({ redirect_uri }, owner.cookie)
      expect([redirect_uri, answer.status, answer.headers.get('location')]).toEqual([redirect_uri, 400, null])
    }
  })

  test.each([
    ['response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['scope', { scope: undefined }, 'invalid_request'],
    ['scope', { scope: 'ff-plugin' }, 'invalid_request'],
    ['state', { state: undefined }, 'invalid_request'],
    ['challenge', { code_challenge: undefined }, 'invalid_request'],
    ['challenge method', { code_challenge_method: 'plain' }, 'invalid_request'],
  ] as [string, Query, string][])('a fault in the %s goes back as an error (%j)', async (_name, query, error) => {
    const back = location(await authorize(query, owner.cookie))
    expect(back.origin + back.pathname).toBe(client.callback)
    expect(back.searchParams.get('error')).toBe(error)
    expect(back.searchParams.get('errorDescription')).toBeTruthy()
  })

  test('a request is good once and for 10 minutes', async () => {
    const path = location(await authorize({}, owner.cookie)).pathname
    expect(location(await get(path, owner.cookie)).searchParams.has('code')).toBe(true)
    expect((await get(path, owner.cookie)).status).toBe(404)
    const late = location(await authorize({}, owner.cookie)).pathname
    clock.turn(10 * 60_000)
    expect((await get(late, owner.cookie)).status).toBe(404)
  })

  test('of one request two answers at once give one code', async () => {
    const path = location(await authorize({}, owner.cookie)).pathname
    const answers = await Promise.all(Array.from({ length: 8 }, async () => get(path, owner.cookie)))
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(1)
  })

  test('who begins sign-ins without end pushes out the own ones, and nobody else', async () => {
    const mine = location(await authorize({}, owner.cookie, '10.1.0.1')).pathname
    const first = location(await authorize({}, owner.cookie, '10.1.0.2')).pathname
    for (let i = 0; i < 30; i++) await authorize({}, undefined, '10.1.0.2')
    expect((await get(first, owner.cookie)).status).toBe(404)
    expect((await get(mine, owner.cookie)).status).toBe(302)
  })

  test('at most 100 requests are kept, the newest', async () => {
    const paths: string[] = []
    for (let i = 0; i < 103; i++) paths.push(location(await authorize({}, owner.cookie, `10.0.0.${i % 20}`)).pathname)
    const { read } = server.app.database
    const rows = await read.selectFrom('oauth_requests').select('id').execute()
    expect(rows).toHaveLength(100)
    expect((await get(paths[2]!, owner.cookie)).status).toBe(404)
    expect((await get(paths[3]!, owner.cookie)).status).toBe(302)
  })
})

describe('codes and tokens', () => {
  const refused = async (answer: Promise<Answer>) => {
    const { status, json } = await answer
    expect([status, typeof json.error, typeof json.description]).toEqual([400, 'string', 'string'])
    expect(json).not.toHaveProperty('access_token')
  }

  test('a code is good once, and lives 60 seconds', async () => {
    const code = await codeFor(owner)
    clock.turn(59_000)
    expect((await exchange(fields(code))).status).toBe(200)
    await refused(exchange(fields(code)))
    const late = await codeFor(owner)
    clock.turn(60_000)
    await refused(exchange(fields(late)))
  })

  test('a code is worth nothing without its verifier, its redirect_uri and the secret of its client', async () => {
    await refused(exchange(fields(await codeFor(owner), { code_verifier: `${verifier}x` })))
    await refused(exchange(fields(await codeFor(owner), { code_verifier: '' })))
    await refused(exchange(fields(await codeFor(owner), { redirect_uri: `${instance.url}/elsewhere` })))
    await refused(exchange(fields(await codeFor(owner), { client_secret: 'wrong' })))
    await refused(exchange(fields(await codeFor(owner), { client_secret: '' })))
    await refused(exchange(fields(await codeFor(owner), { grant_type: 'password' })))
    await refused(exchange({}))
  })

  test('a code and a refresh token are of no use to another client', async () => {
    const other = await clientOf(await settled('editor-two'))
    const theirs = { client_id: other.id, client_secret: other.secret }
    await refused(exchange(fields(await codeFor(owner), theirs)))
    const pair = await signIn(owner)
    await refused(refresh(pair.refresh_token!, theirs))
    expect((await refresh(pair.refresh_token!)).status).toBe(200)
  })

  test('refreshing gives a new pair and ends the old one, once', async () => {
    const pair = await signIn(owner)
    const answers = await Promise.all(Array.from({ length: 6 }, async () => refresh(pair.refresh_token!)))
    const good = answers.filter(({ status }) => status === 200)
    expect(good).toHaveLength(1)
    expect((await profile(pair.access_token!)).status).toBe(401)
    expect((await profile(String(good[0]!.json.access_token))).status).toBe(200)
    await refused(refresh(pair.refresh_token!))
  })

  test('the role is read anew at each refresh, and whoever left the team is refused', async () => {
    const user = await server.build.member(team, 30)
    const pair = await signIn(user)
    await role(user, 10)
    const read = await refresh(pair.refresh_token!)
    expect(read.json).toMatchObject({ scope: 'read' })
    await role(user, 5)
    await refused(refresh(String(read.json.refresh_token)))
    await role(user, undefined)
    await refused(refresh(String(read.json.refresh_token)))
  })

  test('an access token ends after 30 minutes and can still be refreshed', async () => {
    const pair = await signIn(owner)
    clock.turn(1_799_000)
    expect((await profile(pair.access_token!)).status).toBe(200)
    clock.turn(1_000)
    expect((await profile(pair.access_token!)).status).toBe(401)
    expect((await refresh(pair.refresh_token!)).status).toBe(200)
  })

  test('tokens of a suspended user stop working, a code and a refresh as well', async () => {
    const user = await server.build.member(team, 30)
    const pair = await signIn(user)
    const code = await codeFor(user)
    await server.app.database.read.updateTable('users').set({ suspended: 1 }).where('id', '=', user.id).execute()
    expect((await profile(pair.access_token!)).status).toBe(401)
    await refused(refresh(pair.refresh_token!))
    await refused(exchange(fields(code)))
  })

  test('an editor token opens the profile and nothing else of its user', async () => {
    const { access_token } = await signIn(owner)
    const as = { headers: { authorization: `Bearer ${access_token}` } }
    const id = location(await authorize({}, owner.cookie)).pathname.split('/')[3]!
    expect((await send(server.address, 'GET', `/api/v1/teams/${team.id}`, as)).status).toBe(404)
    for (const path of [
      '/api/v1/events',
      '/api/v1/user/teams',
      `/account/complete/${id}`,
      `/api/v1/user/requests/${id}`,
    ]) {
      expect([path, (await send(server.address, 'GET', path, as)).status]).toEqual([path, 403])
    }
    expect((await send(server.address, 'PUT', '/api/v1/user', { ...as, body: { name: 'Mallory' } })).status).toBe(403)
    expect((await send(server.address, 'POST', `/api/v1/projects/${instance.id}/actions/suspend`, as)).status).toBe(403)
  })

  test('codes, tokens and client secrets are stored only as hashes', async () => {
    const code = await codeFor(owner)
    const pair = await signIn(owner)
    const { read } = server.app.database
    const stored = JSON.stringify([
      await read.selectFrom('oauth_requests').selectAll().execute(),
      await read.selectFrom('tokens').selectAll().execute(),
      await read.selectFrom('instances').selectAll().execute(),
    ])
    for (const secret of [code, pair.access_token!, pair.refresh_token!, client.secret])
      expect(stored).not.toContain(secret)
  })
})

describe('ending sessions elsewhere', () => {
  const ends: [string, (user: TestUser) => Promise<unknown>][] = [
    [
      'a new password',
      (user) =>
        user.client.call('account.changePassword', { body: { old_password: password, password: 'another password' } }),
    ],
    [
      'the end of another session',
      async (user) => {
        const { sessions } = await user.client.call('account.sessions')
        const other = sessions.find(({ current }) => !current)!
        await user.client.call('account.endSession', { params: { sessionId: other.id } })
      },
    ],
  ]
  test.each(ends)('%s ends the editor tokens of the person', async (_name, end) => {
    const user = await server.build.member(team, 30)
    await send(server.address, 'POST', '/account/login', { body: { username: user.username, password } })
    const pair = await signIn(user)
    expect((await profile(pair.access_token!)).status).toBe(200)
    await end(user)
    expect((await profile(pair.access_token!)).status).toBe(401)
    expect((await refresh(pair.refresh_token!)).status).toBe(400)
  })
})

describe('signing out of the console', () => {
  test('[ACCT-46] ends the editor tokens of the person, and what running editors hold', async () => {
    const user = await server.build.member(team, 30)
    const colleague = await server.build.member(team, 30)
    const [mine, theirs] = [await signIn(user), await signIn(colleague)]
    const token = await server.build.instanceToken(instance)
    const sessions = {
      a: { user: user.username, client: 'node-red-editor', accessToken: 'nr-session-of-user' },
      b: { user: colleague.username, client: 'node-red-editor', accessToken: 'nr-session-of-colleague' },
    }
    const stored = await send(server.address, 'POST', `/storage/${instance.id}/sessions`, {
      headers: { authorization: `Bearer ${token}` },
      body: sessions,
    })
    expect(stored.status).toBe(200)
    const revoked: string[][] = []
    server.driver.revokeUserToken = async (id, value) => void revoked.push([id, value])

    await user.client.call('account.logout')
    expect((await profile(mine.access_token!)).status).toBe(401)
    await refused(refresh(mine.refresh_token!))
    await expect.poll(() => revoked).toEqual([[instance.id, 'nr-session-of-user']])
    expect((await profile(theirs.access_token!)).status).toBe(200)
    // While it runs, its process drops the session and saves the others.
    const storedSessions = async () =>
      Object.keys(
        (
          await send(server.address, 'GET', `/storage/${instance.id}/sessions`, {
            headers: { authorization: `Bearer ${token}` },
          })
        ).json,
      )
    expect(await storedSessions()).toEqual(['a', 'b'])
    await owner.client.call('instance.suspend', { params: { instanceId: instance.id } })
    await untilJobsEnded(server.app.database)
    await colleague.client.call('account.logout')
    await expect.poll(storedSessions).toEqual(['a'])

    async function refused(answer: Promise<Answer>) {
      expect((await answer).status).toBe(400)
    }
  })
})

test('what a person does in an editor is recorded with the address they opened it from, not with that of the instance', async () => {
  const own = await server.build.instanceToken(instance)
  const from = { 'x-forwarded-for': '203.0.113.77', cookie: `${browser}; ${owner.cookie}` }
  const { pathname } = location(await authorize({}, owner.cookie, '203.0.113.76'))
  const code = location(await send(server.address, 'GET', pathname, { headers: from })).searchParams.get('code')!
  const first = (await exchange(fields(code))).json as Record<string, string>
  const report = (event: string, user: string, editorToken?: string) =>
    send(server.address, 'POST', `/logging/${instance.id}/audit`, {
      headers: { authorization: `Bearer ${own}` },
      body: { event, user, editorToken },
    })
  await report('auth.login', owner.id, first.access_token)
  const renewed = (await refresh(first.refresh_token!)).json as Record<string, string>
  await report('flows.set', owner.id, renewed.access_token)
  const member = await server.build.member(team, roles.member)
  await report('flows.set', member.id)
  const { log } = await owner.client.call('instance.auditLog', { params: { instanceId: instance.id } })
  expect(log.slice(0, 3).map(({ event, address }) => [event, address])).toEqual([
    ['flows.set', '127.0.0.1'],
    ['flows.set', '203.0.113.77'],
    ['auth.login', '203.0.113.77'],
  ])
})
