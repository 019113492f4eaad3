import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { enterEditor } from './editor.browser.ts'
import { stacksDir } from './homes.ts'
import { labelled } from './real.platform.ts'

/** The oldest Node.js on which the agent runs. */
const oldest = '20.16.0'

/** The program of that Node.js, which npm fetches once into the cache of the tests. */
async function oldestNode(): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(stacksDir, '..', `node-${oldest}`)
  if (!existsSync(folder)) {
    const partial = `${folder}.${process.pid}`
    await mkdir(partial, { recursive: true })
    const args = ['install', '--prefix', partial, '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${oldest}`]
    await promisify(execFile)('npm', args, { cwd: partial })
    await rename(partial, folder).catch(async () => rm(partial, { recursive: true, force: true }))
  }
  return join(folder, 'node_modules', name, 'bin/node')
}

let world: AgentWorld
let node: string
beforeAll(async () => {
  node = await oldestNode()
  world = await openAgentWorld({ config: { broker: embeddedBroker } })
}, 300_000)
afterAll(() => world.close())

test('under the oldest Node.js that it knows, an agent takes targets, opens its editor and outlasts a power cut', async () => {
  const { device, agent } = await world.machine({ node })
  const params = { deviceId: device.id }
  await world.target('First', labelled('first'))
  agent.start()
  await agent.said(new RegExp(`on Node\\.js ${oldest}`))
  await agent.answers('first')
  const asked = agent.asking()
  await world.target('Second', labelled('second'))
  await agent.answers('second')
  expect((await asked.stop()).filter(({ status }) => status !== 200)).toEqual([])
  await until(device.read, ({ activeSnapshot }) => activeSnapshot?.name === 'Second')
  await agent.said(/Connected to the broker/)
  // Node-RED runs on another one, which the agent installs beside its own.
  expect((await device.read()).nodejsVersion).toMatch(/^2[2-9]\./)

  await world.owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await agent.said(/Developer mode is on/)
  await until(device.read, ({ status }) => status === 'running')
  await world.owner.client.call('deviceEditor.set', { params, body: { enabled: true } })
  const { ask } = await enterEditor(world.server.address, device.id, world.owner)
  await until(
    async () => ask('/'),
    ({ status, text }) => status === 200 && text.includes('red-ui-editor'),
    60_000,
  )
  await agent.cutPower()
  agent.start()
  await agent.answers('second')
  expect(await agent.end()).toBe(0)
}, 240_000)
