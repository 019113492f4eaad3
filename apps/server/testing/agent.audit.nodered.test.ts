import type { DeviceNodeRedPatch } from '@app/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { askHost, enterEditor } from './editor.browser.ts'
import { labelled } from './real.platform.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld({ config: { broker: embeddedBroker } })
})
afterAll(() => world.close())

const v2 = { 'node-red-api-version': 'v2' }
type Stored = { flows: object[]; rev: string }
const withWord = (flows: object[], word: string) =>
  JSON.parse(JSON.stringify(flows).replaceAll('first', word)) as object[]

/** A device in developer mode that runs the first target. */
async function begin(nodeRed: DeviceNodeRedPatch = {}) {
  const { device, agent } = await world.machine()
  const params = { deviceId: device.id }
  await device.setNodeRed(nodeRed)
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await until(device.read, ({ status }) => status === 'running')
  await agent.said(/Connected to the broker/)
  await world.owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await agent.said(/Developer mode is on/)
  /** The entries about its Node-RED, oldest first. */
  const read = async () => {
    const { log } = await world.owner.client.call('device.auditLog', { params, query: {} })
    return log.filter(({ scope, event }) => scope.type === 'project' && !event.startsWith('project.')).reverse()
  }
  return { device, agent, params, read }
}

test('[DEV-69] the audit log of a device has what a person did in its editor, with their name and address', async () => {
  const { device, agent, params, read } = await begin()
  const { server, owner } = world
  await owner.client.call('deviceEditor.set', { params, body: { enabled: true } })
  const { ask, origin } = await enterEditor(server.address, device.id, owner)
  const { json } = await until(
    async () => ask('/flows', v2),
    ({ status }) => status === 200,
    30_000,
  )
  const { flows, rev } = json as unknown as Stored
  const body = { flows: withWord(flows, 'tuned'), rev }
  expect((await ask('/flows', { ...v2, origin }, 'POST', body)).status).toBe(200)
  await agent.answers('tuned')
  const found = await until(read, (log) => log.length > 0)
  expect(found).toMatchObject([
    {
      event: 'flows.set',
      username: owner.username,
      trigger: { id: owner.id, type: 'user' },
      address: '127.0.0.1',
      scope: { id: world.oven.id },
      body: { device: { id: device.id }, info: { type: 'full' } },
    },
  ])
  expect(JSON.stringify(found)).not.toContain('editorToken')
  expect(await agent.end()).toBe(0)
})

test('[DEV-70] what was done on a device while the platform was away is recorded once it is back, through a power cut', async () => {
  const { device, agent, read } = await begin({ editorAuth: { user: 'ann', password: 'kneading-4711' } })
  await until(
    async () => agent.visit('/device-editor/'),
    ({ status, text }) => status === 200 && text.includes('red-ui-editor'),
    30_000,
  )
  agent.write({ forgeURL: 'http://127.0.0.1:9', brokerURL: undefined })
  await agent.cutPower()
  agent.start()
  await agent.answers('first')
  const address = `http://127.0.0.1:${agent.port}`
  const signIn = { client_id: 'node-red-editor', grant_type: 'password', scope: '', username: 'ann' }
  const { json } = await askHost(address, '/device-editor/auth/token', {}, 'POST', {
    ...signIn,
    password: 'kneading-4711',
  })
  const headers = { ...v2, authorization: `Bearer ${String(json.access_token)}` }
  const { flows, rev } = (await askHost(address, '/device-editor/flows', headers)).json as unknown as Stored
  const body = { flows: withWord(flows, 'tuned'), rev }
  expect((await askHost(address, '/device-editor/flows', headers, 'POST', body)).status).toBe(200)
  await agent.answers('tuned')
  expect(await read()).toEqual([])

  await agent.cutPower()
  agent.write()
  agent.start()
  expect(await until(read, (log) => log.length === 2)).toMatchObject(
    ['auth.login', 'flows.set'].map((event) => ({
      event,
      username: null,
      trigger: { id: device.id, type: 'system', name: 'Oven 3' },
      body: { info: { localUser: 'ann' } },
    })),
  )
  expect(await agent.end()).toBe(0)
})
