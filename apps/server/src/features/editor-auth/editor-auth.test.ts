import { type TeamRole } from '@app/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { createEditorSignIn, type Query } from '../../../testing/editor.sign-in.ts'

const {
  authorize,
  client,
  clock,
  codeFor,
  complete,
  exchange,
  fields,
  get,
  instance,
  location,
  owner,
  profile,
  server,
  team,
} = await createEditorSignIn()
afterAll(async () => server.close())

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
    expect(await read.selectFrom('editor_sign_ins').select('id').where('code_hash', 'is not', null).execute()).toEqual(
      [],
    )
  })

  test('[ACCT-04] a person who is not signed in is sent to the page that signs in and goes on', async () => {
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

  test('two answers at once to one request give one code', async () => {
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
    const rows = await read.selectFrom('editor_sign_ins').select('id').execute()
    expect(rows).toHaveLength(100)
    expect((await get(paths[2]!, owner.cookie)).status).toBe(404)
    expect((await get(paths[3]!, owner.cookie)).status).toBe(302)
  })
})
