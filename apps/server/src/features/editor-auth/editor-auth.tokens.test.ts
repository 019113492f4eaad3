import { roles } from '@app/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { createEditorSignIn } from '../../../testing/editor.sign-in.ts'
import { type Answer, password, send, type TestUser, untilJobsEnded } from '../../../testing/index.ts'

const {
  authorize,
  browser,
  client,
  clientOf,
  clock,
  codeFor,
  exchange,
  fields,
  instance,
  location,
  owner,
  profile,
  refresh,
  server,
  settled,
  signIn,
  team,
  verifier,
} = await createEditorSignIn()
afterAll(async () => server.close())

const role = (user: TestUser, value: number | undefined) => {
  const { read } = server.app.database
  const mine = (query: { where(column: 'user_id', op: '=', value: string): { execute(): Promise<unknown> } }) =>
    query.where('user_id', '=', user.id).execute()
  return value === undefined
    ? mine(read.deleteFrom('team_members'))
    : mine(read.updateTable('team_members').set({ role: value }))
}

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
      await read.selectFrom('editor_sign_ins').selectAll().execute(),
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
