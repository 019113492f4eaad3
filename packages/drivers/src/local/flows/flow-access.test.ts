import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Endpoint } from '../../driver.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

/** The bcrypt hash of "sourdough". */
const hash = '$2b$04$4sx.ew.7yxng6VR4QRkQPOjsDCq1cqq2VXQkSfVNivL.Eb8bjf/ou'
const basic = (user: string, pass: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}`,
})
const page = { accept: 'text/html' }
const flows = [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/hello', method: 'get', wires: [['out']] },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]

async function protectedBy(version: string, httpNodeAuth: object) {
  const local = await openLocal()
  onTestFinished(() => local.close())
  local.platform.behaviour.settings = { httpNodeAuth }
  const spec = local.spec(version)
  local.platform.stored.set(`${spec.id}/flows`, flows)
  await local.driver.start(spec)
  await runs(local.driver, spec.id)
  return { ...local, endpoint: local.driver.endpoint(spec.id)! }
}

/** First line of the answer to a request for a WebSocket. */
function upgrade(endpoint: Endpoint, path: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect('socketPath' in endpoint ? { path: endpoint.socketPath } : endpoint)
    const lines = Object.entries({ host: 'instance.test', connection: 'Upgrade', upgrade: 'websocket', ...headers })
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    socket.once('data', (data) => resolve(String(data).split('\r\n')[0] ?? '')).once('error', reject)
    onTestFinished(() => void socket.destroy())
  })
}

describe.each(versions)('addresses of flows in Node-RED %s', (version) => {
  test('with a user name and a password answer to those only, and the editor stays as it is', async () => {
    const { endpoint } = await protectedBy(version, { type: 'basic', user: 'baker', pass: hash })
    const ask = async (headers = {}) => (await askInstance(endpoint, '/hello', { headers })).status
    expect(await ask()).toBe(401)
    expect((await askInstance(endpoint, '/hello')).headers['www-authenticate']).toMatch(/^Basic /)
    expect(await ask(basic('baker', 'rye'))).toBe(401)
    expect(await ask(basic('miller', 'sourdough'))).toBe(401)
    expect(await until('the flow answers', async () => (await ask(basic('baker', 'sourdough'))) === 200)).toBe(true)
    expect(await upgrade(endpoint, '/feed')).toContain('401')
    expect((await askInstance(endpoint, '/auth/login')).status).toBe(200)
  })

  test('with the sign-in of the platform let members in and keep them, and nobody else', async () => {
    const { platform, endpoint } = await protectedBy(version, { type: 'flowforge-user' })
    expect((await askInstance(endpoint, '/hello')).status).toBe(401)
    const begun = await askInstance(endpoint, '/hello?size=2', { headers: page })
    const state = String([begun.headers['set-cookie']].flat()[0]).split(';')[0]!
    const there = await fetch(String(begun.headers.location), { redirect: 'manual' })
    const { pathname, search } = new URL(there.headers.get('location') ?? '')
    expect(pathname).toBe('/_ffAuth/callback')
    // Another browser than the one that began it gets nothing.
    expect((await askInstance(endpoint, '/_ffAuth/callback?code=x&state=y')).status).toBe(400)
    const back = await askInstance(endpoint, pathname + search, { headers: { cookie: state } })
    expect([back.status, back.headers.location]).toEqual([302, '/hello?size=2'])
    const cookie = String([back.headers['set-cookie']].flat()[0]).split(';')[0]!
    const ask = async () => (await askInstance(endpoint, '/hello', { headers: { cookie } })).status
    expect(await until('the flow answers', async () => (await ask()) === 200)).toBe(true)
    expect(await upgrade(endpoint, '/feed')).toContain('401')
    // A page of another host may not do in the name of its visitor what only the flow's own pages may.
    expect(await upgrade(endpoint, '/feed', { cookie, origin: 'http://other.test' })).toContain('401')
    const from = async (origin: string) =>
      (await askInstance(endpoint, '/hello', { headers: { cookie, origin } })).status
    expect([await from('http://instance.test'), await from('http://other.test'), await from('null')]).toEqual([
      200, 401, 401,
    ])
    expect((await askInstance(endpoint, pathname + search, { headers: { cookie: state } })).status).toBe(400)
    expect(platform.behaviour.refreshed).toBe(0)
  })

  test('end with the sign-in on the platform', async () => {
    const { platform, endpoint } = await protectedBy(version, { type: 'flowforge-user' })
    platform.behaviour.expiresIn = 0
    const begun = await askInstance(endpoint, '/hello', { headers: page })
    const state = String([begun.headers['set-cookie']].flat()[0]).split(';')[0]!
    const there = await fetch(String(begun.headers.location), { redirect: 'manual' })
    const { pathname, search } = new URL(there.headers.get('location') ?? '')
    const back = await askInstance(endpoint, pathname + search, { headers: { cookie: state } })
    const cookie = String([back.headers['set-cookie']].flat()[0]).split(';')[0]!
    const ask = async () => (await askInstance(endpoint, '/hello', { headers: { cookie } })).status
    expect(await until('the flow answers', async () => (await ask()) === 200)).toBe(true)
    expect(platform.behaviour.refreshed).toBeGreaterThan(0)
    platform.behaviour.refuseRefresh = true
    expect(await ask()).toBe(401)
  })
})

test.each([
  { type: 'basic', user: 'baker' },
  { type: 'basic', pass: hash },
])('half a protection protects whole: %j', async (auth) => {
  const { endpoint } = await protectedBy(versions[0], auth)
  for (const headers of [{}, basic('baker', ''), basic('', 'sourdough')])
    expect((await askInstance(endpoint, '/hello', { headers })).status).toBe(401)
})
