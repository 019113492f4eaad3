import type { Instance } from '@app/contract'
import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { hashToken } from '../src/platform/crypto.ts'
import { type TestUser, untilJobsEnded } from './build.ts'
import { type Answer, send, testClock } from './request.ts'
import { startServer } from './server.ts'

interface Client {
  id: string
  secret: string
  callback: string
}
export type Query = Partial<Record<string, string>>

/** A server with an instance of a team, and each step by which its editor signs somebody in, from one browser. */
export async function createEditorSignIn() {
  const clock = testClock()
  const server = await startServer({ clock, config: { trustProxy: ['loopback'] } })
  const { owner, team } = await server.build.platform()
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
  const instance = await settled('editor-one')
  const client = await clientOf(instance)

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

  return {
    authorize,
    browser,
    client,
    clientOf,
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
    refresh,
    server,
    settled,
    signIn,
    team,
    verifier,
  }
}
