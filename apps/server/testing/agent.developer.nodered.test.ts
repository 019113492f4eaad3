import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
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
