import { expect, test } from 'vitest'
import { type Answer, cookieOf, openPlatform, send, untilJobsEnded } from '../../../testing/index.ts'

const { server, owner, team } = await openPlatform()
const instance = await server.build.instance(owner, await server.build.application(owner, team), 'request-one')
await untilJobsEnded(server.app.database)
await server.app.database.read.updateTable('instances').set({ client_id: 'ffp_request' }).execute()

const authorize = (query: Record<string, string> = {}, cookie?: string) => {
  const all = {
    response_type: 'code',
    client_id: 'ffp_request',
    redirect_uri: `${instance.url}/auth/strategy/callback`,
    scope: 'editor-1.9.0',
    state: 'x',
    code_challenge: 'x',
    code_challenge_method: 'S256',
    ...query,
  }
  const path = `/account/authorize?${new URLSearchParams(all).toString()}`
  return send(server.address, 'GET', path, cookie ? { headers: { cookie } } : {})
}
const get = (path: string, ...cookies: string[]) =>
  send(server.address, 'GET', path, { headers: { cookie: cookies.join('; ') } })
const idOf = (answer: Answer) => answer.headers.get('location')!.split('/')[3]!
const browserOf = (answer: Answer) => `sign-in=${cookieOf(answer, 'sign-in')}`

test('the code goes to the callback of the editor or of protected addresses, each for its scope, and nowhere else', async () => {
  const status = async (path: string, scope: string) =>
    (await authorize({ redirect_uri: `${instance.url}${path}`, scope })).status
  expect(await status('/auth/strategy/callback', 'editor-1.9.0')).toBe(302)
  expect(await status('/_ffAuth/callback', 'httpAuth-1.9.0')).toBe(302)
  for (const [path, scope] of [
    ['/any/path', 'editor-1'],
    ['/', 'editor-1'],
    ['', 'editor-1'],
    ['/_ffAuth/callback', 'editor-1'],
    ['/auth/strategy/callback', 'httpAuth-1'],
    ['/auth/strategy/callback/', 'editor-1'],
    ['/auth/strategy/callback?to=/any', 'editor-1'],
    ['/auth/strategy/callback#x', 'editor-1'],
    ['/auth/strategy/callbacks', 'editor-1'],
    ['/x/auth/strategy/callback', 'editor-1'],
    ['/_ffAuth/callback/x', 'httpAuth-1'],
  ] as const) {
    const answer = await authorize({ redirect_uri: `${instance.url}${path}`, scope })
    expect([path, scope, answer.status, answer.headers.get('location')]).toEqual([path, scope, 400, null])
  }
  const named = instance.url.replace('://', '://somebody@')
  expect((await authorize({ redirect_uri: `${named}/auth/strategy/callback` })).status).toBe(400)
})

test('an editor that answers elsewhere gets its code there', async () => {
  await owner.client.call('instance.update', {
    params: { instanceId: instance.id },
    body: { settings: { httpAdminRoot: '/flows/editor' } },
  })
  const to = (path: string) => authorize({ redirect_uri: `${instance.url}${path}` })
  expect((await to('/flows/editor/auth/strategy/callback')).status).toBe(302)
  // Launchers of the installed base leave out where the editor answers.
  expect((await to('/auth/strategy/callback')).status).toBe(302)
  expect((await to('/flows/auth/strategy/callback')).status).toBe(400)
})

test('a sign-in ends in the browser in which it was begun', async () => {
  const begun = await authorize({}, owner.cookie)
  expect(begun.headers.getSetCookie().join()).toMatch(
    /^sign-in=[\w-]{43,}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const id = idOf(begun)
  for (const other of ['', 'sign-in=', 'sign-in=x', browserOf(await authorize())]) {
    expect((await get(`/account/complete/${id}`, owner.cookie, other)).status).toBe(404)
    expect((await get(`/account/reject/${id}`, owner.cookie, other)).status).toBe(404)
    expect((await get(`/api/v1/user/requests/${id}`, owner.cookie, other)).status).toBe(404)
  }
  const own = browserOf(begun)
  expect((await get(`/api/v1/user/requests/${id}`, owner.cookie, own)).json).toMatchObject({ id })
  const done = await get(`/account/complete/${id}`, owner.cookie, own)
  expect(new URL(done.headers.get('location')!).searchParams.get('code')).toMatch(/^ffc_/)
})

test('a browser may have several sign-ins under way', async () => {
  const first = await authorize({}, owner.cookie)
  const browser = browserOf(first)
  const second = await authorize({}, `${owner.cookie}; ${browser}`)
  expect(browserOf(second)).toBe(browser)
  for (const answer of [second, first])
    expect((await get(`/account/complete/${idOf(answer)}`, owner.cookie, browser)).status).toBe(302)
})

test('what ties a sign-in to its browser is kept as a hash', async () => {
  const begun = await authorize({}, owner.cookie)
  const rows = await server.app.database.read.selectFrom('editor_sign_ins').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(cookieOf(begun, 'sign-in'))
})
