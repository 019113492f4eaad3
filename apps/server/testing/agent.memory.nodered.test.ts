import { startRegistryDouble } from '@app/drivers/testing/registry'
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { enterEditor } from './editor.browser.ts'
import { labelled, on } from './real.platform.ts'

/** The memory of the smallest machine that the handbook names, without what its system needs. */
const mostMb = 400
const everyMs = 100

let world: AgentWorld
let registry: Awaited<ReturnType<typeof startRegistryDouble>>
beforeAll(async () => {
  registry = await startRegistryDouble()
  world = await openAgentWorld({ config: { broker: embeddedBroker } })
})
afterAll(async () => {
  await world.close()
  await registry.close()
})

/** A process and all that it has started. */
function treeOf(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const parent = Number(/\) \S (\d+)/.exec(textOf(`/proc/${name}/stat`))?.[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = [root]
  for (const pid of found) found.push(...(children.get(pid) ?? []))
  return found
}

/** The share of a process in memory, in MiB; 0 where it has ended. */
const shareOf = (pid: number) => Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Uses a module of the target. */
const baked = (label: string) => [
  ...labelled(label),
  on('loaf-in', 'http in', { url: '/loaf', method: 'get', wires: [['loaf']] }),
  on('loaf', 'function', {
    func: 'return { ...msg, payload: String(flour.step) }',
    libs: [{ var: 'flour', module: 'forge-flour' }],
    wires: [['out']],
  }),
]

test('agent, npm and two targets beside each other fit into the memory of a small machine, with the editor open too', async () => {
  for (const step of [1, 2]) registry.publish('forge-flour', `${step}.0.0`, { 'index.js': `exports.step = ${step}` })
  const { device, agent } = await world.machine({ env: { npm_config_registry: registry.url } })
  await world.target('One', baked('one'), { 'forge-flour': '1.0.0' })
  agent.start()
  let peak = 0
  let mostProcesses = 0
  const sampling = setInterval(() => {
    const shares = treeOf(agent.pid()).map(shareOf)
    peak = Math.max(
      peak,
      shares.reduce((sum, share) => sum + share, 0),
    )
    mostProcesses = Math.max(mostProcesses, shares.length)
  }, everyMs)
  try {
    await agent.answers('one')
    await world.target('Two', baked('two'), { 'forge-flour': '2.0.0' })
    await agent.answers('two')
    expect((await agent.visit('/loaf')).text).toBe('2')
    const { lastDeployment } = await until(device.read, (one) => one.lastDeployment?.name === 'Two')
    expect(lastDeployment).toMatchObject({ state: 'done', takeover: { way: 'held' } })

    const params = { deviceId: device.id }
    await world.owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
    await agent.said(/Developer mode is on/)
    await until(device.read, ({ status }) => status === 'running')
    await world.owner.client.call('deviceEditor.set', { params, body: { enabled: true } })
    const { ask } = await enterEditor(world.server.address, device.id, world.owner)
    await until(
      async () => ask('/nodes'),
      ({ status }) => status === 200,
      60_000,
    )
  } finally {
    clearInterval(sampling)
  }
  // The agent and two Node-REDs at least, or nothing was measured.
  expect(mostProcesses).toBeGreaterThanOrEqual(3)
  expect(peak).toBeGreaterThan(100)
  expect(peak).toBeLessThan(mostMb)
  expect(await agent.end()).toBe(0)
})

test('the old flows end before the new ones start if memory is short, and come back when these are refused', async () => {
  const free =
    'import os from "node:os"; import { syncBuiltinESMExports } from "node:module"; os.freemem = () => 100 * 2 ** 20; syncBuiltinESMExports()'
  const { device, agent } = await world.machine({
    nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(free)}`],
  })
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await until(device.read, ({ status }) => status === 'running')
  let most = 0
  const looking = setInterval(() => {
    const nodeReds = treeOf(agent.pid()).filter((pid) => textOf(`/proc/${pid}/cmdline`).includes('instance-runtime'))
    most = Math.max(most, nodeReds.length)
  }, everyMs)
  try {
    await world.target('Second', labelled('second'))
    await agent.answers('second')
    const { lastDeployment } = await until(device.read, (one) => one.lastDeployment?.name === 'Second')
    expect(lastDeployment).toMatchObject({
      state: 'done',
      takeover: { way: 'restart', why: 'Only 100 MB of memory are free, too little for two Node-REDs at once.' },
    })
    await world.target('Bad', [...labelled('bad'), on('odd', 'type-nobody-has')])
    await agent.said(/The target was not taken/)
    await agent.answers('second')
  } finally {
    clearInterval(looking)
  }
  expect(most).toBe(1)
  expect(await agent.end()).toBe(0)
})
