import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { enterEditor } from './editor.browser.ts'
import { labelled } from './real.platform.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld({ config: { broker: embeddedBroker } })
})
afterAll(() => world.close())

const setMode = async (deviceId: string, mode: string) =>
  world.owner.client.call('deviceDeveloper.setMode', { params: { deviceId }, body: { mode } })

test.each([
  ['over the broker', {}],
  ['over HTTP', { brokerURL: undefined }],
])(
  '[DMODE-05] in developer mode %s no target is taken, through a power cut, until the mode is left',
  async (_way, file) => {
    const { device, agent } = await world.machine()
    agent.write(file)
    await world.target('First', labelled('first'))
    agent.start()
    await agent.answers('first')
    await until(device.read, ({ status }) => status === 'running')
    await setMode(device.id, 'developer')
    await agent.said(/Developer mode is on/)
    const second = await world.target('Second', labelled('second'))
    await agent.cutPower()
    agent.start()
    await agent.answers('first')
    const before = await device.read()
    // It has called since, and was told the target once more.
    await until(device.read, ({ lastSeenAt }) => Date.parse(lastSeenAt!) > Date.parse(before.lastSeenAt!) + 500)
    expect((await agent.visit()).text).toBe('first')
    expect(await device.read()).toMatchObject({ mode: 'developer', targetSnapshot: { id: second } })
    await setMode(device.id, 'autonomous')
    await agent.answers('second')
    await until(device.read, ({ activeSnapshot }) => activeSnapshot?.id === second)
    expect(await agent.end()).toBe(0)
  },
)

test('[DMODE-12] a snapshot is made of the flows and modules on a device', async () => {
  const { device, agent } = await world.machine()
  const id = await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await until(device.read, ({ status }) => status === 'running')
  await agent.said(/Connected to the broker/)
  await setMode(device.id, 'developer')
  await agent.said(/Developer mode is on/)
  const params = { deviceId: device.id }
  const made = await world.owner.client.call('deviceDeveloper.snapshot', { params, body: { name: 'From the oven' } })
  const flowsOf = async (snapshotId: string) =>
    (await world.owner.client.call('snapshot.flows', { params: { instanceId: world.oven.id, snapshotId } })).flows
  expect(made.name).toBe('From the oven')
  expect(await flowsOf(made.id)).toEqual(await flowsOf(id))
  await agent.end()
})

test('flows are changed in the editor through the tunnel, outlast a power cut, and give way to the target', async () => {
  const { device, agent } = await world.machine()
  const { server, owner } = world
  const params = { deviceId: device.id }
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await until(device.read, ({ status }) => status === 'running')
  await agent.said(/Connected to the broker/)
  await setMode(device.id, 'developer')
  await agent.said(/Developer mode is on/)
  expect(await owner.client.call('deviceEditor.set', { params, body: { enabled: true } })).toMatchObject({
    connected: true,
  })
  const { ask, origin, comms } = await enterEditor(server.address, device.id, owner)
  const page = await until(
    async () => ask('/'),
    ({ status, text }) => status === 200 && text.includes('/_forge/editor.js'),
    30_000,
  )
  expect(page.text).toContain('red-ui-editor')
  // Nobody reaches it but through the platform.
  expect((await agent.visit('/device-editor/')).status).toBe(503)
  const v2 = { 'node-red-api-version': 'v2' }
  const { flows, rev } = (await ask('/flows', v2)).json as { flows: object[]; rev: string }
  const tuned = JSON.parse(JSON.stringify(flows).replaceAll('first', 'tuned')) as object[]
  const live = await comms()
  live.socket.send('{"subscribe":"notification/#"}')
  const deployed = await ask('/flows', { ...v2, origin }, 'POST', { flows: tuned, rev })
  expect(deployed.status).toBe(200)
  await agent.answers('tuned')
  await until(
    async () => live.heard.join(),
    (heard) => heard.includes('runtime-deploy'),
  )

  await agent.cutPower()
  await until(device.read, ({ editor }) => !editor.connected)
  agent.start()
  await agent.answers('tuned')
  await until(device.read, ({ editor }) => editor.connected, 30_000)
  const again = await until(
    async () => ask('/flows', v2),
    ({ status }) => status === 200,
    30_000,
  )
  expect((again.json as { flows: object[] }).flows).toEqual(tuned)
  await until(device.read, ({ status }) => status === 'running')
  await agent.said(/Connected to the broker/)
  const made = await owner.client.call('deviceDeveloper.snapshot', { params, body: { name: 'Tuned' } })
  const inInstance = { params: { instanceId: world.oven.id, snapshotId: made.id } }
  expect((await owner.client.call('snapshot.flows', inInstance)).flows).toEqual(tuned)

  await setMode(device.id, 'autonomous')
  await agent.answers('first')
  expect((await ask('/flows')).status).toBe(503)
  await until(device.read, ({ editor, activeSnapshot }) => !editor.enabled && activeSnapshot?.name === 'First')
  expect(await agent.end()).toBe(0)
})
