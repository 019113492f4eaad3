import { limits, roles } from '@app/contract'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { embeddedBroker } from '../../../../testing/broker.ts'
import {
  clientWith,
  freePort,
  openPlatform,
  send,
  startSecondServer,
  startRunningDevice,
  startServer,
  type TestUser,
  until,
} from '../../../../testing/index.ts'
import type { Release } from '../../../../testing/scripted.agent.ts'
import { askHost, enterEditor } from '../../../../testing/editor.browser.ts'
import type { Serve, Served } from '../../../../testing/scripted.tunnel.ts'

const { server, owner, team } = await openPlatform({ config: { broker: embeddedBroker } })

const page: Serve = ({ method, url, headers, body }): Served =>
  url === '/'
    ? { headers: { 'content-type': 'text/html', 'set-cookie': 'forge-device=x' }, body: '<body>Editor</body>' }
    : { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ method, url, headers, body }) }

/** A device in developer mode whose agent runs. */
async function begin(release: Release = '4.2.1', serve: Serve = page) {
  const { device, params, agent, read } = await startRunningDevice(
    { address: server.address, owner, team },
    { release },
  )
  agent.serveEditor(serve)
  await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await until(
    async () => agent.mode(),
    (mode) => mode === 'developer',
  )
  const set = async (enabled: boolean, user = owner) =>
    user.client.call('deviceEditor.set', { params, body: { enabled } })
  return { device, params, agent, read, set }
}
const eventsOf = async (limit: number) =>
  (await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit } })).log.map(
    ({ event }) => event,
  )

const browse = async (deviceId: string, user: TestUser) => enterEditor(server.address, deviceId, user)

test.each<Release>(['1.9.4', '4.2.1'])(
  '[API-134] [DEV-55] [DMODE-06] the editor of an agent %s is opened, used through its host name, and closed with developer mode',
  async (release) => {
    const { device, params, agent, read, set } = await begin(release)
    expect(await owner.client.call('deviceEditor.get', { params })).toEqual({})
    const opened = await set(true)
    const url = `http://0-${device.id}.${server.config.instanceDomain}/`
    expect(opened).toEqual({ enabled: true, connected: true, url })
    expect((await read()).editor).toEqual({ enabled: true, connected: true, url })
    expect((await eventsOf(1))[0]).toBe('team.device.remote-access.enabled')

    const { entered, ask, origin, comms } = await browse(device.id, owner)
    expect([entered.status, entered.headers.location]).toEqual([302, '/'])
    expect((await eventsOf(1))[0]).toBe('team.device.remote-access.entered')
    const first = await ask('/')
    expect(first).toMatchObject({ status: 200, text: '<body>Editor<script src="/_forge/editor.js"></script></body>' })
    expect(first.headers['set-cookie']).toBeUndefined()
    expect((await ask('/_forge/editor.js')).status).toBe(200)
    const { json } = await ask('/flows?x=1', { origin }, 'POST', { flows: [] })
    expect(json).toMatchObject({ method: 'POST', url: '/flows?x=1', body: '{"flows":[]}' })
    // The device gets the token of its tunnel, and nothing of the person's.
    const token = agent.tunnelToken()!
    expect(json.headers).toMatchObject({ authorization: `Bearer ${token}` })
    expect(json.headers).not.toHaveProperty('cookie')

    const one = await comms()
    one.socket.send('{"subscribe":"notification/#"}')
    await until(
      async () => one.heard,
      (heard) => heard.length === 1,
    )
    expect(one.heard).toEqual(['{"subscribe":"notification/#"}'])
    // Node-RED on old devices asks about the token.
    const told = await send(server.address, 'GET', `/api/v1/devices/${device.id}/editor/token`, {
      headers: { 'x-access-token': token },
    })
    expect(told).toMatchObject({ status: 200, json: { username: 'forge', permissions: '*' } })

    await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'autonomous' } })
    expect(await one.ended).toBe(1_013)
    await until(
      async () => agent.tunnel()!.codes,
      (codes) => codes.length > 0,
    )
    expect(agent.tunnel()!.codes).toEqual([4_004])
    expect((await read()).editor).toEqual({ enabled: false, connected: false })
    expect((await ask('/')).status).toBe(503)
    const after = await send(server.address, 'GET', `/api/v1/devices/${device.id}/editor/token`, {
      headers: { 'x-access-token': token },
    })
    expect(after.status).toBe(401)
  },
)

test('[DMODE-04] an editor that cannot be opened is refused with a sentence and stays closed, and the audit log says so', async () => {
  const { params, agent, read, set } = await begin()
  const attempt = async () => set(true).catch((error: unknown) => error)
  agent.refuseEditor('noNRRunning')
  expect(await attempt()).toMatchObject({ status: 503, code: 'enable_editor_failed' })
  const both = ['team.device.remote-access.disabled', 'team.device.remote-access.enabled']
  expect(await eventsOf(2)).toEqual(both)
  agent.setState('stopped')
  await agent.report()
  await until(read, ({ status }) => status === 'stopped')
  expect(await attempt()).toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: 'The device must be in "running" state to access the editor',
  })
  agent.setState('running')
  await agent.report()
  await until(read, ({ status }) => status === 'running')
  await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'autonomous' } })
  expect(await attempt()).toMatchObject({ status: 400, message: expect.stringContaining('developer mode') })
  expect((await read()).editor).toEqual({ enabled: false, connected: false })
  expect((await eventsOf(4)).filter((event) => event.includes('remote-access'))).toEqual(both)
})

test('[PERM-76] only members open the editor: viewers, strangers and administrators of the platform do not', async () => {
  const { device, set } = await begin()
  const member = await server.build.member(team, roles.member)
  expect(await set(true, member)).toMatchObject({ enabled: true })
  await expect(set(true, await server.build.member(team, roles.viewer))).rejects.toMatchObject({ status: 403 })
  await expect(set(true, await server.build.user())).rejects.toMatchObject({ status: 404 })
  const admin = await server.build.user({ admin: true })
  await expect(set(true, admin)).rejects.toMatchObject({ status: 403 })
  const params = { deviceId: device.id }
  await expect(admin.client.call('deviceEditor.enter', { params })).rejects.toMatchObject({ status: 403 })
  // They see neither where it is.
  expect(await admin.client.call('deviceEditor.get', { params })).toEqual({ enabled: true, connected: true })
  expect((await admin.client.call('device.get', { params })).editor).toEqual({ enabled: true, connected: true })
  // Administrators may close it.
  expect(await set(false, admin)).toEqual({ enabled: false })
  expect((await eventsOf(1))[0]).toBe('team.device.remote-access.disabled')
})

test('without the session of a member nothing of the editor is shown, also not to pages of other host names', async () => {
  const { device, set } = await begin()
  await set(true)
  const member = await server.build.member(team, roles.member)
  const { ask, comms, host, url } = await browse(device.id, member)
  const bare = await askHost(server.address, '/', { host, accept: 'text/html' })
  expect([bare.status, bare.headers.location]).toEqual([302, expect.stringContaining(`/device/${device.id}/editor`)])
  expect((await askHost(server.address, '/flows', { host })).status).toBe(401)
  // A code works once.
  const { pathname, search } = new URL(url)
  const again = await askHost(server.address, `${pathname}${search}`, { host })
  expect(again.headers['set-cookie']).toBeUndefined()
  // The session of another device does not count.
  const other = await begin()
  await other.set(true)
  expect((await ask('/flows', { host: host.replace(device.id, other.device.id) })).status).toBe(401)
  const foreign = { origin: 'http://evil.localhost' }
  expect((await ask('/flows', foreign, 'POST', [])).status).toBe(403)
  expect((await ask('/flows', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' })).status).toBe(403)
  await expect(comms(foreign)).rejects.toThrow('403')
  // A person who leaves the team is out at once, with the WebSocket that is open.
  const open = await comms()
  await owner.client.call('team.removeMember', { params: { teamId: team.id, userId: member.id } })
  expect(await open.ended).toBe(4_003)
  expect((await ask('/flows')).status).toBe(401)
})

test('a suspended user is out of the editor at once, with the WebSocket that is open', async () => {
  const { device, set } = await begin()
  await set(true)
  const member = await server.build.member(team, roles.member)
  const { ask, comms } = await browse(device.id, member)
  const open = await comms()
  expect((await ask('/flows')).status).toBe(200)
  const admin = await server.build.user({ admin: true })
  await admin.client.call('user.update', { params: { userId: member.id }, body: { suspended: true } })
  expect(await open.ended).toBe(4_003)
  expect((await ask('/flows')).status).toBe(401)
})

test('a tunnel that breaks off or falls silent is noticed within 5 seconds, and comes back with its token', async () => {
  const { device, agent, read, set } = await begin()
  await set(true)
  const { ask, comms, watchState } = await browse(device.id, owner)
  const before = await comms()
  agent.tunnel()!.cut()
  expect(await before.ended).toBe(1_013)
  await until(
    async () => ask('/flows'),
    ({ status }) => status === 200,
  )
  await until(read, ({ editor }) => editor.connected)

  const { said } = await watchState()
  await until(
    async () => said(),
    (now) => now === 'connected',
  )
  const begun = performance.now()
  agent.tunnel()!.freeze()
  await until(
    async () => said(),
    (now) => now === 'away',
  )
  expect(performance.now() - begun).toBeLessThan(5_000)
  await until(read, ({ editor }) => editor.enabled && !editor.connected)
  // A request of meanwhile is answered once the agent is heard again: on a slow device it may just be busy.
  const asked = ask('/flows')
  agent.tunnel()!.thaw()
  expect((await asked).status).toBe(200)
  await until(
    async () => said(),
    (now) => now === 'connected',
  )
  await until(read, ({ editor }) => editor.connected)
})

test('bodies of megabytes pass both ways, several people at once, and a failure of Node-RED is told', async () => {
  const big = 'x'.repeat(2 * 1024 * 1024)
  const { device, set } = await begin('4.2.1', ({ url, body }) =>
    url === '/down' ? undefined : { body: url === '/big' ? big : String(body?.length) },
  )
  await set(true)
  const member = await server.build.member(team, roles.member)
  const [one, two] = [await browse(device.id, owner), await browse(device.id, member)]
  const answers = await Promise.all([one.ask('/big'), two.ask('/big')])
  expect(answers.map(({ text }) => text.length)).toEqual([big.length, big.length])
  const { text } = await two.ask('/flows', { origin: two.origin }, 'POST', { big })
  expect(text).toBe(String(JSON.stringify({ big }).length))
  expect((await one.ask('/down')).status).toBe(502)
  const [a, b] = [await one.comms(), await two.comms()]
  a.socket.send('"a"')
  b.socket.send('"b"')
  await until(
    async () => [a.heard, b.heard],
    ([x, y]) => x!.length === 1 && y!.length === 1,
  )
  expect([a.heard, b.heard]).toEqual([['"a"'], ['"b"']])
})

test('requests keep the cookies and tokens of people from the device, and answers keep its cookies from browsers', async () => {
  const { device, set } = await begin('4.2.1', ({ headers }) => ({
    headers: { 'x-own': 'yes', 'set-cookie': ['a=1', 'b=2'], 'strict-transport-security': 'max-age=1' },
    body: JSON.stringify(headers),
  }))
  await set(true)
  const { ask, cookie, origin } = await browse(device.id, owner)
  const given = {
    cookie: `${cookie}; ${owner.cookie}; other=1`,
    authorization: 'Bearer ffu_of-a-person',
    'x-forwarded-for': '203.0.113.7',
    forwarded: 'for=203.0.113.7',
    'x-page': 'kept',
  }
  const { json, headers } = await ask('/settings', given)
  expect(json).toMatchObject({ 'x-page': 'kept', authorization: expect.stringMatching(/^Bearer ffde_/) })
  for (const name of ['cookie', 'forwarded', 'x-forwarded-for', 'x-forwarded-host'])
    expect(json).not.toHaveProperty(name)
  expect(headers).toMatchObject({ 'x-own': 'yes', 'content-security-policy': "frame-ancestors 'self'" })
  for (const name of ['set-cookie', 'strict-transport-security']) expect(headers).not.toHaveProperty(name)
  // Headers and bodies have limits.
  expect((await ask('/settings', { 'x-long': 'x'.repeat(40_000) })).status).toBe(431)
  const tooLong = 'x'.repeat(limits.flowsBytes)
  expect((await ask('/flows', { origin }, 'POST', { tooLong })).status).toBe(413)
})

test('nobody of another team reaches an editor: neither by its address, nor with a token or session of their own', async () => {
  const { device, params, agent, set } = await begin()
  await set(true)
  const stranger = await server.build.user()
  const theirs = await server.build.team(stranger)
  const own = await stranger.client.call('device.create', { body: { name: 'Theirs', type: 'Pi', team: theirs.id } })
  await expect(stranger.client.call('deviceEditor.get', { params })).rejects.toMatchObject({ status: 404 })
  await expect(stranger.client.call('deviceEditor.enter', { params })).rejects.toMatchObject({ status: 404 })
  await expect(set(false, stranger)).rejects.toMatchObject({ status: 404 })
  // The token of one device opens no tunnel of another, and answers for no other.
  const token = agent.tunnelToken()!
  const socket = new WebSocket(`${server.address.replace('http', 'ws')}/api/v1/devices/${own.id}/editor/comms/${token}`)
  expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(4_004)
  const headers = { 'x-access-token': token }
  expect((await send(server.address, 'GET', `/api/v1/devices/${own.id}/editor/token`, { headers })).status).toBe(401)
  // The cookie of the console is none of the editor.
  const { host } = await browse(device.id, owner)
  for (const cookie of [stranger.cookie, owner.cookie])
    expect((await askHost(server.address, '/flows', { host, cookie })).status).toBe(401)
})

test('[DMODE-11] an agent of 0.6.1 has no editor access, one of 0.6.2 has', async () => {
  const attemptAs = async (agentVersion: string) => {
    const device = await owner.client.call('device.create', { body: { name: 'Old', type: 'Pi', team: team.id } })
    await send(server.address, 'POST', `/api/v1/devices/${device.id}/live/state`, {
      headers: { authorization: `Bearer ${device.credentials.token}` },
      body: { state: 'running', agentVersion },
    })
    const params = { deviceId: device.id }
    return owner.client.call('deviceEditor.set', { params, body: { enabled: true } }).catch((error: unknown) => error)
  }
  expect(await attemptAs('0.6.1')).toMatchObject({ status: 409, code: 'agent_outdated' })
  // It lacks developer mode alone, which came with another release.
  expect(await attemptAs('0.6.2')).toMatchObject({
    status: 400,
    message: expect.stringContaining('developer mode'),
  })
})

test('both of two people who enable it at once have it', async () => {
  const { read, set } = await begin()
  const member = await server.build.member(team, roles.member)
  const both = await Promise.all([set(true), set(true, member)])
  expect(both.map(({ enabled }) => enabled)).toEqual([true, true])
  await until(read, ({ editor }) => editor.enabled && editor.connected)
})

test('no editor is opened if instances have ports in the place of names, and the refusal says why', async () => {
  const first = await freePort()
  const other = await startServer({ config: { broker: embeddedBroker, instancePorts: { first, last: first + 2 } } })
  onTestFinished(() => other.close())
  const platform = await other.build.platform()
  const body = { name: 'Oven 3', type: 'Pi', team: platform.team.id }
  const { id } = await platform.owner.client.call('device.create', { body })
  const params = { deviceId: id }
  await expect(
    platform.owner.client.call('deviceEditor.set', { params, body: { enabled: true } }),
  ).rejects.toMatchObject({ code: 'enable_editor_failed', message: expect.stringContaining('FORGE_INSTANCE_DOMAIN') })
  const host = `0-${id}.${other.config.instanceDomain}`
  expect((await askHost(other.address, '/', { host })).status).toBe(421)
})

if (process.env.TEST_DATABASE === 'postgres')
  test('people at one server open and enter an editor whose tunnel is at another', async () => {
    const { instanceDomain } = server.config
    const other = await startSecondServer(server)
    const { device, params, agent, read } = await begin()
    const there = { ...owner, client: clientWith(other.address, 'cookie', owner.cookie) }
    const opened = await there.client.call('deviceEditor.set', { params, body: { enabled: true } })
    expect(opened).toMatchObject({ enabled: true, connected: true })
    // Its token was on its way by the database, where nobody can read it.
    expect(await other.app.database.read.selectFrom('device_requests').selectAll().execute()).toEqual([])
    // The balancer sends the names of editors to the server that runs the instances.
    const { ask } = await browse(device.id, there)
    expect((await ask('/flows')).status).toBe(200)
    const host = `0-${device.id}.${instanceDomain}`
    expect(await askHost(other.address, '/', { host })).toMatchObject({
      status: 503,
      text: expect.stringContaining('instances_unavailable'),
    })
    // An agent that the balancer sends wrong is told to try again.
    const path = `/api/v1/devices/${device.id}/editor/comms/${agent.tunnelToken()}`
    const socket = new WebSocket(`${other.address.replace('http', 'ws')}${path}`)
    expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1_012)
    expect((await read()).editor.connected).toBe(true)
    await there.client.call('deviceDeveloper.setMode', { params, body: { mode: 'autonomous' } })
    await until(
      async () => agent.tunnel()!.codes,
      (codes) => codes.at(-1) === 4_004,
    )
  })

test('a wrong token opens no tunnel, and other credentials end the one that is open', async () => {
  const { device, params, agent, set } = await begin()
  await set(true)
  const socket = new WebSocket(
    `${server.address.replace('http', 'ws')}/api/v1/devices/${device.id}/editor/comms/ffde_${device.id}_wrong`,
  )
  const code = await new Promise((resolve) => socket.once('close', resolve))
  expect(code).toBe(4_004)
  expect(agent.tunnel()!.isOpen()).toBe(true)
  await owner.client.call('device.generateCredentials', { params })
  await until(
    async () => agent.tunnel()!.codes,
    (codes) => codes.at(-1) === 4_004,
  )
})
