import { startRegistryDouble } from '@app/drivers/testing/registry'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { askHost, enterEditor } from './editor.browser.ts'
import { labelled } from './real.platform.ts'

let world: AgentWorld
let registry: Awaited<ReturnType<typeof startRegistryDouble>>
beforeAll(async () => {
  registry = await startRegistryDouble()
  world = await openAgentWorld({ config: { broker: embeddedBroker, steadySeconds: 0.5 } })
})
afterAll(async () => {
  await world.close()
  await registry.close()
})

test.each([
  ['over the broker', {}],
  ['over HTTP', { brokerURL: undefined }],
])(
  '[DSET-08] a memory limit set %s counts from the next start of Node-RED on, also without the platform',
  async (_way, file) => {
    const { device, agent } = await world.machine()
    agent.write({ memory: 300, ...file })
    await world.target('First', labelled('first'))
    agent.start()
    await agent.answers('first')
    const isReported = async (next: number, inForce: number | null) =>
      until(
        device.read,
        ({ nodeRed }) => nodeRed?.memoryLimit?.next === next && nodeRed.memoryLimit.inForce === inForce,
      )
    await isReported(300, 300)
    const before = await agent.nodeReds()
    await device.setNodeRed({ memory: 384 })
    await isReported(384, 300)
    expect(await agent.nodeReds()).toEqual(before)

    agent.write({ memory: 300, forgeURL: 'http://127.0.0.1:9', brokerURL: undefined })
    await agent.cutPower()
    agent.start()
    await agent.answers('first')
    expect(await agent.heapLimits()).toEqual([384 * 0.75])
    expect(await agent.end()).toBe(0)

    agent.write({ memory: 300, ...file })
    await device.setNodeRed({ memory: null })
    agent.start()
    // Started before the platform was asked, so the change waits for one more start.
    await isReported(300, 384)
    await agent.cutPower()
    agent.start()
    await isReported(300, 300)
    expect(await agent.end()).toBe(0)
  },
)

test('[DSET-09] another Node-RED takes over from the one that runs; one that cannot be installed is told, and changes nothing', async () => {
  const { device, agent } = await world.machine({ env: { npm_config_registry: registry.url } })
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await until(device.read, ({ nodeRedVersion }) => nodeRedVersion === '5.0.7')
  const asked = agent.asking()
  await device.setNodeRed({ version: '4.1.15' })
  await until(device.read, ({ nodeRedVersion }) => nodeRedVersion === '4.1.15', 90_000)
  await device.setNodeRed({ version: '4.1.999' })
  const { refused } = await until(device.read, (one) => one.refused !== null, 90_000)
  expect(refused!.message).toContain('4.1.999')
  const answers = await asked.stop()
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['200 first']))
  expect(await device.read()).toMatchObject({ status: 'running', nodeRedVersion: '4.1.15' })
  await device.setNodeRed({ version: null })
  await until(device.read, (one) => one.nodeRedVersion === '5.0.7' && one.refused === null, 90_000)
  expect(await agent.end()).toBe(0)
})

test('[DSET-10] the editor of a device installs what its lists allow, and has its catalogues', async () => {
  for (const name of ['plant-flour', 'plant-salt', 'other-salt'])
    registry.publish(
      name,
      '1.0.0',
      {
        'index.js': `module.exports = (RED) => RED.nodes.registerType('${name}', function (config) { RED.nodes.createNode(this, config) })`,
        'index.html': '',
      },
      { 'node-red': { nodes: { [name]: 'index.js' } } },
    )
  const { device, agent } = await world.machine({ env: { npm_config_registry: registry.url } })
  const { server, owner } = world
  const params = { deviceId: device.id }
  const catalogues = ['https://plant.example.com/catalogue.json']
  await device.setNodeRed({ allowList: ['plant-*'], denyList: ['plant-salt'], catalogues })
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await until(device.read, ({ status }) => status === 'running')
  await agent.said(/Connected to the broker/)
  await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await agent.said(/Developer mode is on/)
  await owner.client.call('deviceEditor.set', { params, body: { enabled: true } })
  const { ask, origin } = await enterEditor(server.address, device.id, owner)
  const settings = await until(
    async () => ask('/settings'),
    ({ status }) => status === 200,
    30_000,
  )
  expect(settings.json).toMatchObject({ editorTheme: { palette: { catalogues } } })
  const install = async (module: string) => {
    const { status, json } = await ask('/nodes', { origin }, 'POST', { module })
    return status === 200 ? 'installed' : json.code
  }
  expect([await install('plant-salt'), await install('other-salt')]).toEqual([
    'install_not_allowed',
    'install_not_allowed',
  ])
  expect(await install('plant-flour')).toBe('installed')
  expect(await agent.end()).toBe(0)
})

test('[DSET-11] the editor on the device opens in developer mode by its own sign-in, also without the platform', async () => {
  const { device, agent } = await world.machine()
  const address = `http://127.0.0.1:${agent.port}`
  const params = { deviceId: device.id }
  await device.setNodeRed({ editorAuth: { user: 'ann', password: 'kneading-4711' } })
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await until(device.read, ({ status }) => status === 'running')
  expect((await agent.visit('/device-editor/')).status).toBe(503)
  await world.owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await until(
    async () => agent.visit('/device-editor/'),
    ({ status, text }) => status === 200 && text.includes('red-ui-editor'),
    30_000,
  )
  agent.write({ forgeURL: 'http://127.0.0.1:9', brokerURL: undefined })
  await agent.cutPower()
  agent.start()
  await agent.answers('first')

  const signIn = async (password: string) =>
    askHost(address, '/device-editor/auth/token', {}, 'POST', {
      client_id: 'node-red-editor',
      grant_type: 'password',
      scope: '',
      username: 'ann',
      password,
    })
  expect((await askHost(address, '/device-editor/flows', {})).status).toBe(401)
  expect((await signIn('proofing-4711')).status).toBe(403)
  const { json } = await signIn('kneading-4711')
  const headers = { authorization: `Bearer ${String(json.access_token)}`, 'node-red-api-version': 'v2' }
  const { flows, rev } = (await askHost(address, '/device-editor/flows', headers)).json as {
    flows: object[]
    rev: string
  }
  const tuned = JSON.parse(JSON.stringify(flows).replaceAll('first', 'tuned')) as object[]
  const deployed = await askHost(address, '/device-editor/flows', headers, 'POST', { flows: tuned, rev })
  expect(deployed.status).toBe(200)
  await agent.answers('tuned')

  agent.write()
  await agent.cutPower()
  agent.start()
  await agent.answers('tuned')
  await world.owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'autonomous' } })
  await agent.answers('first')
  expect((await agent.visit('/device-editor/')).status).toBe(503)
  expect(await agent.end()).toBe(0)
})

test('[DSET-11] the addresses of flows on a device ask for its name and password', async () => {
  const { device, agent } = await world.machine()
  const address = `http://127.0.0.1:${agent.port}`
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await device.setNodeRed({ httpAuth: { user: 'line', password: 'proofing-4711' } })
  await until(
    async () => agent.visit(),
    ({ status }) => status === 401,
    60_000,
  )
  const as = async (password: string) =>
    askHost(address, '/word', { authorization: `Basic ${Buffer.from(`line:${password}`).toString('base64')}` })
  expect((await as('wrong-4711')).status).toBe(401)
  expect(await as('proofing-4711')).toMatchObject({ status: 200, text: 'first' })
  await device.setNodeRed({ httpAuth: null })
  await agent.answers('first')
  expect(await agent.end()).toBe(0)
})

test('[DEV-72] flows on a device ask for the name and password of the instance, as soon as that has them', async () => {
  const { agent } = await world.machine()
  const address = `http://127.0.0.1:${agent.port}`
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  const protect = async (httpNodeAuth: object) =>
    world.owner.client.call('instance.update', {
      params: { instanceId: world.oven.id },
      body: { settings: { httpNodeAuth } },
    })
  onTestFinished(async () => void (await protect({ type: 'none' })))
  const as = async (password: string) =>
    askHost(address, '/word', { authorization: `Basic ${Buffer.from(`line:${password}`).toString('base64')}` })
  await protect({ type: 'basic', user: 'line', pass: 'proofing-4711' })
  await until(
    async () => agent.visit(),
    ({ status }) => status === 401,
    60_000,
  )
  expect((await as('wrong-4711')).status).toBe(401)
  expect(await as('proofing-4711')).toMatchObject({ status: 200, text: 'first' })
  await protect({ type: 'flowforge-user' })
  await until(
    async () => as('proofing-4711'),
    ({ status }) => status === 401,
    60_000,
  )
  await protect({ type: 'none' })
  await agent.answers('first')
  expect(await agent.end()).toBe(0)
})
