import type { Instance } from '@app/contract'
import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { openPlatform, send, type TestUser, untilJobsEnded } from '../../../testing/index.ts'
import { hashToken } from '../../platform/crypto.ts'

let client: Client

interface Client {
  id: string
  secret: string
  url: string
}

const { server, owner, team } = await openPlatform()
beforeAll(async () => {
  client = await clientOf('editor-one')
})

/** An instance with the OAuth client that a start gives it. */
async function clientOf(name: string): Promise<Client> {
  const application = await server.build.application(owner, team)
  const made: Instance = await server.build.instance(owner, application, name)
  await untilJobsEnded(server.app.database)
  const secret = randomBytes(16).toString('hex')
  const change = { client_id: `ffp_${made.id}`, client_secret_hash: hashToken(secret) }
  await server.app.database.read.updateTable('instances').set(change).where('id', '=', made.id).execute()
  return { id: change.client_id, secret, url: made.url }
}

const exchange = (fields: Record<string, string>, by = client) =>
  send(server.address, 'POST', '/account/token', {
    body: new URLSearchParams({ client_id: by.id, client_secret: by.secret, ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

/** Signs a person in to the editor, or with another scope to what flows serve. */
async function signIn(user: TestUser, scope = 'editor-1'): Promise<Record<string, string>> {
  const code_verifier = randomBytes(32).toString('base64url')
  const redirect_uri = `${client.url}/${scope.startsWith('http') ? '_ffAuth' : 'auth/strategy'}/callback`
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri,
    scope,
    state: 'state',
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  let cookie = user.cookie
  const follow = async (path: string) => {
    const { headers } = await send(server.address, 'GET', path, { headers: { cookie } })
    cookie = [user.cookie, ...headers.getSetCookie().map((set) => set.split(';')[0])].join('; ')
    return headers.get('location')!
  }
  const to = await follow(await follow(`/account/authorize?${query.toString()}`))
  const code = new URL(to).searchParams.get('code')!
  const answer = await exchange({ grant_type: 'authorization_code', code, redirect_uri, code_verifier })
  expect(answer.status).toBe(200)
  return answer.json as Record<string, string>
}

const profile = (token: string) =>
  send(server.address, 'GET', '/api/v1/user/', { headers: { authorization: `Bearer ${token}` } })
async function role(user: TestUser, value: number | undefined): Promise<void> {
  const { read } = server.app.database
  if (value === undefined) await read.deleteFrom('team_members').where('user_id', '=', user.id).execute()
  else await read.updateTable('team_members').set({ role: value }).where('user_id', '=', user.id).execute()
}
const resume = (username: string, by = client) => exchange({ grant_type: 'editor_session', username }, by)
const refused = { status: 400, json: { error: 'access_denied', description: 'This editor session has ended' } }

test('after a restart of its instance an editor session goes on for who was signed in to this editor, with their role of now, and the tokens from before end', async () => {
  const user = await server.build.member(team, 30)
  const before = await signIn(user)
  const answer = await resume(user.username)
  expect(answer).toMatchObject({ status: 200, json: { scope: '*', expires_in: 1800 } })
  expect((await profile(String(answer.json.access_token))).json).toMatchObject({ id: user.id })
  expect((await profile(before.access_token!)).status).toBe(401)
  await role(user, 10)
  expect((await resume(user.username)).json).toMatchObject({ scope: 'read' })
})

test('an editor session is over for who never signed in, left the team, was suspended or signed out', async () => {
  expect(await resume((await server.build.member(team, 30)).username)).toMatchObject(refused)
  expect(await resume('nobody')).toMatchObject(refused)
  const gone = await server.build.member(team, 30)
  await signIn(gone)
  await role(gone, undefined)
  expect((await resume(gone.username)).status).toBe(400)
  const suspended = await server.build.member(team, 30)
  await signIn(suspended)
  await server.app.database.read.updateTable('users').set({ suspended: 1 }).where('id', '=', suspended.id).execute()
  expect((await resume(suspended.username)).status).toBe(400)
  const out = await server.build.member(team, 30)
  await signIn(out)
  await out.client.call('account.logout')
  expect(await resume(out.username)).toMatchObject(refused)
})

test('an editor session is no way into the editor for who only reaches what flows serve, nor for another instance', async () => {
  const user = await server.build.member(team, 30)
  await signIn(user, 'httpAuth-1')
  expect(await resume(user.username)).toMatchObject(refused)
  await signIn(user)
  const other = await clientOf('editor-two')
  expect(await resume(user.username, other)).toMatchObject(refused)
  expect((await resume(user.username, { ...client, secret: 'wrong' })).status).toBe(400)
  expect((await resume(user.username)).status).toBe(200)
})
