import { roles } from '@app/contract'
import { expect, onTestFinished, test } from 'vitest'
import { embeddedBroker } from '../../../../testing/broker.ts'
import { clientWith, openPlatform, openStream, send, startSecondServer, until } from '../../../../testing/index.ts'
import { type Release, startScriptedAgent } from '../../../../testing/scripted.agent.ts'
import { sealCredentials } from '../../flows/index.ts'

const { server, owner, team } = await openPlatform({ config: { broker: embeddedBroker } })

const flows = (label: string) => [{ id: 'tab', type: 'tab', label }]

async function instance() {
  const application = await server.build.application(owner, team)
  return server.build.instance(owner, application)
}

/** A device of an instance, whose agent runs. */
async function begin(release: Release = '4.2.1') {
  const { id: instanceId } = await instance()
  const device = await owner.client.call('device.create', { body: { name: 'Oven 3', type: 'Pi', team: team.id } })
  const params = { deviceId: device.id }
  await owner.client.call('device.update', { params, body: { instance: instanceId } })
  const agent = await startScriptedAgent(server.address, release, device)
  onTestFinished(() => agent.end())
  const read = async () => owner.client.call('device.get', { params })
  await until(read, ({ agentVersion, status }) => agentVersion === release && status !== 'unknown')
  const setMode = async (mode: string) => owner.client.call('deviceDeveloper.setMode', { params, body: { mode } })
  /** Makes a snapshot of these flows the target. */
  const target = async (label: string) => {
    const inInstance = { params: { instanceId } }
    const body = { name: label, flows: flows(label), setAsTarget: true, allowStopped: ['nodes' as const] }
    return (await owner.client.call('snapshot.create', { ...inInstance, body })).id
  }
  return { device, params, instanceId, agent, read, setMode, target }
}
const newest = async (limit = 1) =>
  (await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit } })).log

test.each<Release>(['1.9.4', '4.2.1'])(
  '[API-133] [DMODE-07] an agent %s keeps its flows in developer mode, and takes the target after it',
  async (release) => {
    const { device, agent, read, setMode, target } = await begin(release)
    const first = await target('First')
    await until(read, ({ activeSnapshot }) => activeSnapshot?.id === first)
    const stream = await openStream(server.address, { cookie: owner.cookie })
    onTestFinished(() => stream.close())

    expect(await setMode('developer')).toEqual({ mode: 'developer' })
    await stream.heard((event) => event.type === 'device' && event.id === device.id)
    expect((await newest())[0]).toMatchObject({
      event: 'team.device.developer-mode.enabled',
      trigger: { id: owner.id },
      body: { device: { id: device.id, name: 'Oven 3' } },
    })
    await until(
      async () => agent.mode(),
      (mode) => mode === 'developer',
    )
    expect(await read()).toMatchObject({ mode: 'developer', hasDeveloperMode: true })
    const second = await target('Second')
    await until(
      async () => agent.updates.at(-1),
      (update) => update?.snapshot === second && update.mode === 'developer',
    )
    expect(await read()).toMatchObject({ activeSnapshot: { id: first }, targetSnapshot: { id: second } })

    expect(await setMode('autonomous')).toEqual({ mode: 'autonomous' })
    await until(read, ({ activeSnapshot }) => activeSnapshot?.id === second)
    expect(agent.mode()).toBe('autonomous')
    expect((await newest())[0]).toMatchObject({ event: 'team.device.developer-mode.disabled' })
    // Asked once more, nothing changes and nothing is recorded.
    await setMode('autonomous')
    expect((await newest(2)).map(({ event }) => event)).toContain('team.device.developer-mode.enabled')
  },
)

test('an agent that missed the command is told when it reports another mode', async () => {
  const { agent, setMode } = await begin()
  await agent.client().end()
  await setMode('developer')
  await agent.connect()
  await until(
    async () => agent.mode(),
    (mode) => mode === 'developer',
  )
})

test('over HTTP an agent of this platform is told its mode, and others are not', async () => {
  const device = await owner.client.call('device.create', { body: { name: 'Oven 4', type: 'Pi', team: team.id } })
  const params = { deviceId: device.id }
  const headers = { authorization: `Bearer ${device.credentials.token}` }
  const report = async (more: object) =>
    send(server.address, 'POST', `/api/v1/devices/${device.id}/live/state`, {
      headers,
      body: { state: 'running', mode: 'autonomous', agentVersion: '1.9.4', ...more },
    })
  const { json } = await report({ settings: null })
  expect(json).not.toHaveProperty('mode')
  const settings = json.settings as string
  await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  expect(await report({ settings })).toMatchObject({ status: 200, json: {} })
  expect(await report({ settings, agent: 'a' })).toMatchObject({
    status: 409,
    json: { error: 'incorrect-mode', mode: 'developer', settings },
  })
  expect(await report({ settings, agent: 'a', mode: 'developer' })).toMatchObject({ status: 200, json: {} })
})

test('[DMODE-02] [DMODE-10] another mode is refused, and so is developer mode for an agent that has none', async () => {
  const device = await owner.client.call('device.create', { body: { name: 'Oven 5', type: 'Pi', team: team.id } })
  const params = { deviceId: device.id }
  const read = async () => owner.client.call('device.get', { params })
  const setMode = async (mode: string) =>
    owner.client.call('deviceDeveloper.setMode', { params, body: { mode } }).catch((error: unknown) => error)
  const says = async (agentVersion: string) =>
    send(server.address, 'POST', `/api/v1/devices/${device.id}/live/state`, {
      headers: { authorization: `Bearer ${device.credentials.token}` },
      body: { state: 'running', agentVersion },
    })
  expect(await setMode('x')).toMatchObject({
    status: 400,
    code: 'invalid_mode',
    message: expect.stringContaining('Unknown mode'),
  })
  expect(await setMode('developer')).toMatchObject({ status: 409, message: expect.stringContaining('not called yet') })
  await says('0.7.9')
  expect(await read()).toMatchObject({ hasDeveloperMode: false })
  expect(await setMode('developer')).toMatchObject({ status: 409, message: expect.stringContaining('0.7.9') })
  expect(await read()).toMatchObject({ mode: 'autonomous' })
  expect((await newest())[0]?.event).toBe('team.device.created')
  for (const version of ['0.8.0', '1.0.0']) {
    await says(version)
    expect(await read()).toMatchObject({ hasDeveloperMode: true })
  }
  expect(await setMode('developer')).toEqual({ mode: 'developer' })
})

test('[API-136] a snapshot is made of the flows, credentials and modules on the device', async () => {
  const { device, params, instanceId, agent } = await begin()
  const made = [
    { id: 'tab', type: 'tab', label: 'Tuned' },
    { id: 'n', type: 'http request', z: 'tab', name: 'n', wires: [] },
  ]
  agent.upload({
    state: 'running',
    flows: JSON.stringify(made),
    credentials: sealCredentials({ n: { password: 'hot' } }, device.credentials.credentialSecret),
    package: { modules: { 'node-red': '4.1.0', 'node-red-node-ping': '0.3.3', own: 'file:../own' } },
  })
  const member = await server.build.member(team, roles.member)
  const body = { name: 'Tuned', description: 'At the oven', setAsTarget: true }
  const snapshot = await member.client.call('deviceDeveloper.snapshot', { params, body })
  expect(snapshot).toMatchObject({
    name: 'Tuned',
    description: 'At the oven',
    user: { id: member.id },
    modules: { 'node-red-node-ping': '0.3.3' },
  })
  expect(snapshot.modules).not.toHaveProperty('own')
  const inInstance = { instanceId, snapshotId: snapshot.id }
  expect((await owner.client.call('snapshot.flows', { params: inInstance })).flows).toEqual(made)
  expect(await owner.client.call('device.target', { params: { instanceId } })).toEqual({ targetSnapshot: snapshot.id })
  // The device can read its credentials again.
  const back = await send(server.address, 'GET', `/api/v1/devices/${device.id}/live/snapshot`, {
    headers: { authorization: `Bearer ${device.credentials.token}` },
  })
  expect(back.json).toMatchObject({ id: snapshot.id, credentials: { $: expect.any(String) } })
  const event = 'project.device.snapshot.created'
  const { log } = await owner.client.call('instance.auditLog', { params: { instanceId }, query: { event } })
  expect(log).toMatchObject([
    { body: { device: { id: device.id, name: 'Oven 3' }, snapshot: { id: snapshot.id, name: snapshot.name } } },
  ])
  expect((await owner.client.call('device.auditLog', { params, query: { event } })).log).toEqual(log)
})

test('a snapshot that cannot be made is refused with a sentence, and none is left', async () => {
  const { params, instanceId, agent } = await begin()
  const create = async (deviceId = params.deviceId) =>
    owner.client
      .call('deviceDeveloper.snapshot', { params: { deviceId }, body: { name: 'Tuned' } })
      .catch((error: unknown) => error)
  agent.upload({ state: 'stopped' })
  expect(await create()).toMatchObject({ status: 409, code: 'invalid_state' })
  agent.upload({ state: 'running', flows: [], credentials: { $: '0000' } })
  expect(await create()).toMatchObject({ status: 403, code: 'invalid_credentials_secret' })
  await agent.end()
  const gone = await until(create, (error) => /is not connected to the broker/.test(String(error)))
  expect(gone).toMatchObject({ status: 503, code: 'device_unreachable' })
  const alone = await owner.client.call('device.create', { body: { name: 'Alone', type: '', team: team.id } })
  expect(await create(alone.id)).toMatchObject({ status: 409, message: expect.stringContaining('no instance') })
  const { snapshots } = await owner.client.call('snapshot.list', { params: { instanceId } })
  expect(snapshots).toEqual([])
})

test('only owners switch developer mode, and viewers make no snapshots', async () => {
  const { params, agent } = await begin()
  agent.upload({ state: 'running', flows: [] })
  const [member, viewer] = [
    await server.build.member(team, roles.member),
    await server.build.member(team, roles.viewer),
  ]
  const body = { mode: 'developer' }
  await expect(member.client.call('deviceDeveloper.setMode', { params, body })).rejects.toMatchObject({ status: 403 })
  await expect(
    viewer.client.call('deviceDeveloper.snapshot', { params, body: { name: 'Mine' } }),
  ).rejects.toMatchObject({ status: 403 })
  const stranger = await server.build.user()
  await expect(stranger.client.call('deviceDeveloper.setMode', { params, body })).rejects.toMatchObject({ status: 404 })
})

if (process.env.TEST_DATABASE === 'postgres')
  test('another server, which has no connection to the broker, switches the mode and makes a snapshot too', async () => {
    const { params, agent } = await begin()
    const other = await startSecondServer(server)
    const { call } = clientWith(other.address, 'cookie', owner.cookie)
    await call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
    await until(
      async () => agent.mode(),
      (mode) => mode === 'developer',
    )
    agent.upload({ state: 'running', flows: flows('Tuned') })
    expect(await call('deviceDeveloper.snapshot', { params, body: { name: 'Tuned' } })).toMatchObject({ name: 'Tuned' })
  })
