import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createClient } from '@app/client'
import { routeMap } from '@app/client/routes'
import { afterEach, expect, test } from 'vitest'
import { cookieOf, password, send, statusesOf, startServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
afterEach(() => server.close())

const admin = { username: 'alice', email: 'alice@example.com', password }
const complete = (body: object) => send(server.address, 'POST', '/api/v1/setup', { body })
const settings = async () => (await send(server.address, 'GET', '/api/v1/settings')).json
const users = () => server.app.database.read.selectFrom('users').select(['username', 'admin']).execute()
const as = (cookie: string) =>
  createClient({ routes: routeMap, baseUrl: server.address, timeout: 30_000, headers: () => ({ cookie }) })

test('the one-time link makes the administrator and what a platform needs, and signs in', async () => {
  server = await startServer()
  expect((await settings()).setup).toBe(true)
  const token = (await server.app.setup.offer())!
  const answer = await complete({ ...admin, token })
  expect([answer.status, answer.json]).toEqual([200, {}])
  expect((await settings()).setup).toBe(false)
  const client = as(`sid=${cookieOf(answer, 'sid')}`)
  expect(await client.call('account.get')).toMatchObject({
    username: 'alice',
    name: 'alice',
    email: 'alice@example.com',
    admin: true,
    email_verified: true,
  })
  expect((await client.call('team.types')).types).toMatchObject([{ name: 'Standard', active: true }])
  const { types } = await client.call('instanceType.list')
  const { stacks } = await client.call('stack.list')
  expect(stacks.map(({ properties, projectType }) => [properties.nodered, projectType])).toEqual([
    ['5.0.7', types[0]?.id],
    ['4.1.15', types[0]?.id],
  ])
  expect(types).toMatchObject([{ active: true, defaultStack: stacks[0]?.id }])
  expect((await client.call('template.list')).templates).toMatchObject([{ active: true, instanceCount: 0 }])
  const [event] = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '=', 'platform.setup.completed')
    .execute()
  expect(event).toMatchObject({ scope_type: 'platform', username: 'alice', address: '127.0.0.1' })
  expect(JSON.parse(event!.body)).toMatchObject({ user: { username: 'alice', email: 'alice@example.com' } })
})

test('with a first team and a sample instance, both are there at once', async () => {
  server = await startServer()
  const token = (await server.app.setup.offer())!
  const answer = await complete({ ...admin, token, team: { name: 'Example Bakery', sample: true } })
  expect(answer.json).toMatchObject({
    team: { slug: 'example-bakery' },
    instance: { name: expect.stringMatching(/^sample-\d{4}$/) },
  })
  const client = as(`sid=${cookieOf(answer, 'sid')}`)
  expect((await client.call('team.mine')).teams).toMatchObject([
    { slug: 'example-bakery', roleName: 'owner', instanceCount: 1 },
  ])
  const { points } = await client.call('stats.history', { query: { range: 'week' } })
  expect(points).toMatchObject([{ userCount: 1, teamCount: 1, instanceCount: 1 }])
})

test('the set-up page, and no other, may read that a name of an instance leads here', async () => {
  server = await startServer()
  const { port } = server.config
  const asked = async (origin: string, host = `names-1.localhost:${port}`) => {
    const call = request({ host: '127.0.0.1', port, path: '/livez', agent: false, headers: { host, origin } }).end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    answer.resume()
    return [answer.statusCode, answer.headers['access-control-allow-origin']]
  }
  for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`])
    expect(await asked(origin)).toEqual([404, origin])
  for (const origin of ['https://example.com', `http://sample.localhost:${port}`, 'null', ''])
    expect(await asked(origin)).toEqual([404, undefined])
  expect(await asked(`http://localhost:${port}`, `localhost:${port}`)).toEqual([200, undefined])
})

test('a wrong link, one that was used and a replaced one claim nothing', async () => {
  server = await startServer()
  const refused = { status: 403, json: { code: 'invalid_setup_token' } }
  expect(await complete({ ...admin, token: '' })).toMatchObject(refused)
  const first = (await server.app.setup.offer())!
  const second = (await server.app.setup.offer())!
  expect(await complete({ ...admin, token: first })).toMatchObject(refused)
  expect(await complete({ ...admin, token: `${second}x` })).toMatchObject(refused)
  expect(await users()).toEqual([])
  expect((await complete({ ...admin, token: second })).status).toBe(200)
  expect(await complete({ ...admin, username: 'mallory', email: 'm@example.com', token: second })).toMatchObject(
    refused,
  )
  expect(await server.app.setup.offer()).toBeUndefined()
  expect(await users()).toEqual([{ username: 'alice', admin: 1 }])
})

test('of claims made at once exactly one wins, and the others leave nothing', async () => {
  server = await startServer()
  const token = (await server.app.setup.offer())!
  const claims = Array.from({ length: 5 }, (_, i) =>
    complete({
      ...admin,
      username: `user${i}`,
      email: `u${i}@example.com`,
      token,
      team: { name: `T${i}`, sample: false },
    }),
  )
  const answers = await Promise.all(claims)
  expect(statusesOf(answers)).toEqual([200, 403, 403, 403, 403])
  expect(await users()).toHaveLength(1)
  expect(await server.app.database.read.selectFrom('teams').select('id').execute()).toHaveLength(1)
})

test.each([
  [{ username: '' }, 'username'],
  [{ username: 'a b' }, 'username'],
  [{ email: 'x' }, 'email'],
  [{ password: 'short' }, 'password'],
  [{ password: 'x'.repeat(1025) }, 'password'],
  [{ name: 'http://x' }, 'name'],
  [{ team: { name: '', sample: true } }, 'team.name'],
])('%o is refused by its field, and the link still works', async (wrong, field) => {
  server = await startServer()
  const token = (await server.app.setup.offer())!
  expect(await complete({ ...admin, ...wrong, token })).toMatchObject({
    status: 400,
    json: {
      code: field === 'username' ? 'invalid_username' : 'invalid_request',
      fields: { [field]: expect.any(String) },
    },
  })
  expect((await complete({ ...admin, token })).status).toBe(200)
})

test.each(['admin', 'Root'])('the reserved user name %s is refused', async (username) => {
  server = await startServer()
  const token = (await server.app.setup.offer())!
  expect(await complete({ ...admin, username, token })).toMatchObject({
    status: 400,
    json: { code: 'invalid_username', fields: { username: expect.any(String) } },
  })
})

test('the configuration claims a platform once; later starts and changed values change nothing', async () => {
  const first = await startServer({ config: { admin } })
  await first.stop()
  server = await startServer({
    config: { ...first.config, admin: { username: 'bob', email: 'bob@example.com', password: 'another one' } },
  })
  expect(await users()).toEqual([{ username: 'alice', admin: 1 }])
  expect(await server.app.setup.offer()).toBeUndefined()
  const answer = await send(server.address, 'POST', '/account/login', { body: { username: 'alice', password } })
  expect(answer.status).toBe(200)
})

test('servers that claim one platform from their configuration at once all start', async () => {
  server = await startServer()
  const claims = await Promise.all([1, 2, 3].map(() => server.app.setup.claimFromConfiguration(admin)))
  expect(claims.filter(Boolean)).toHaveLength(1)
  expect(await users()).toHaveLength(1)
})

test('a password that everybody guesses claims nothing, neither by the link nor by the configuration', async () => {
  server = await startServer()
  const token = await server.app.setup.offer()
  for (const bad of ['password1', 'FlowForge', 'alice@example.com']) {
    expect(await complete({ ...admin, password: bad, token })).toMatchObject({
      status: 400,
      json: { fields: { password: expect.stringContaining('password') } },
    })
    const configured = server.app.setup.claimFromConfiguration({ ...admin, password: bad })
    await expect(configured).rejects.toThrow('This password is')
  }
  expect(await users()).toEqual([])
  expect((await complete({ ...admin, token })).status).toBe(200)
})
