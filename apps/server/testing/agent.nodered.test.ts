import { startRegistryDouble } from '@app/drivers/testing/registry'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { until } from './build.ts'
import { labelled, on } from './real.platform.ts'

let world: AgentWorld
let registry: Awaited<ReturnType<typeof startRegistryDouble>>
beforeAll(async () => {
  registry = await startRegistryDouble()
  world = await openAgentWorld({ config: { steadySeconds: 0.5 } })
})
afterAll(async () => {
  await world.close()
  await registry.close()
})

const missingType = [...labelled('bad'), on('odd', 'type-nobody-has')]

test('a device runs its target, reports it, and starts again without the platform after a power cut', async () => {
  const { device, agent } = await world.machine()
  const first = await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await until(device.read, ({ activeSnapshot, status }) => activeSnapshot?.id === first && status === 'running')
  expect(await device.read()).toMatchObject({ agentVersion: '0.1.0', nodeRedVersion: '5.0.7' })

  agent.write({ forgeURL: 'http://127.0.0.1:9' })
  await agent.cutPower()
  expect((await agent.visit()).status).toBe(0)
  agent.start()
  await agent.answers('first')
  await agent.said(/127\.0\.0\.1:9 cannot be reached/)
  // Files of flows are those from before.
  await until(agent.acted, (all) => all.length === 2)
  expect(await agent.end()).toBe(0)
  expect((await agent.visit()).status).toBe(0)
})

test('a target takes over without a lost request, one version acts at a time, and its variables arrive', async () => {
  const { device, agent } = await world.machine()
  await device.setEnv([{ name: 'COLOUR', value: 'red' }])
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  const asked = agent.asking()
  await world.target('Second', [
    ...labelled('second'),
    on('env', 'http in', { url: '/colour', method: 'get', wires: [['read']] }),
    on('read', 'change', {
      rules: [{ t: 'set', p: 'payload', pt: 'msg', to: 'COLOUR', tot: 'env' }],
      wires: [['out']],
    }),
  ])
  await agent.answers('second')
  const answers = await asked.stop()
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['first', 'second']))
  const firstOfSecond = answers.findIndex(({ text }) => text === 'second')
  expect(answers.slice(firstOfSecond).every(({ text }) => text === 'second')).toBe(true)
  await until(agent.acted, (all) => all.join() === 'first,second')
  expect((await agent.visit('/colour')).text).toBe('red')
  // Until the former has ended, both are there.
  await until(agent.nodeReds, (all) => all.length === 1)
  const { lastDeployment } = await until(device.read, (one) => one.lastDeployment?.name === 'Second')
  expect(lastDeployment).toMatchObject({ state: 'done', faults: [], takeover: { way: 'held', late: 0, dropped: 0 } })
  expect(lastDeployment!.takeover!.gapMs).toBeLessThan(1_000)

  await device.setEnv([{ name: 'COLOUR', value: 'green' }])
  await until(
    async () => agent.visit('/colour'),
    ({ text }) => text === 'green',
    60_000,
  )
  await agent.end()
})

test.each([
  ['whose node type is missing', missingType, /node type type-nobody-has is missing/],
  [
    'that ends Node-RED',
    [
      ...labelled('bad'),
      on('go', 'inject', { props: [], once: true, onceDelay: 0.1, repeat: '', wires: [['end']] }),
      on('end', 'function', {
        func: 'const end = Buffer.constructor("return process")().exit; setTimeout(() => end(3), 10)',
        wires: [],
      }),
    ],
    /Node-RED ended unexpectedly/,
  ],
  [
    'with a module that does not exist',
    labelled('bad'),
    /flowforge-no-such-module-4711/,
    { 'flowforge-no-such-module-4711': '1.0.0' },
  ],
])('a device that is told a target %s goes on doing its work, and says why', async (_what, flows, why, modules?) => {
  const { device, agent } = await world.machine({ env: { npm_config_registry: registry.url } })
  const good = await world.target('Good', labelled('good'))
  agent.start()
  await agent.answers('good')
  await until(device.read, ({ activeSnapshot }) => activeSnapshot?.id === good)
  const asked = agent.asking()
  await world.target('Bad', flows, modules)
  const line = await agent.said(/The target was not taken/)
  expect(line).toMatch(why)
  await agent.answers('good')
  const answers = await asked.stop()
  expect(answers.filter(({ status }) => status === 0)).toEqual([])
  expect(await device.read()).toMatchObject({ status: 'running', activeSnapshot: { id: good } })
  // It is not tried over and over.
  expect(agent.lines().filter((one) => one.includes('Downloading')).length).toBe(2)
  await world.target('Better', labelled('better'))
  await agent.answers('better')
  await agent.end()
})

test('a device that the platform does not know any more goes on with its flows', async () => {
  const { device, agent } = await world.machine()
  await world.target('Good', labelled('good'))
  agent.start()
  await agent.answers('good')
  await device.remove()
  await agent.said(/does not know this device or its token \(401\)/)
  expect((await agent.visit()).text).toBe('good')
  await agent.end()
  agent.start()
  await agent.answers('good')
  await agent.end()
})

test('a device that is removed from its instance stops its flows, and keeps their files', async () => {
  const { device, agent } = await world.machine()
  await world.target('Good', labelled('good'))
  agent.start()
  await agent.answers('good')
  await until(agent.acted, (all) => all.length === 1)
  await device.unassign()
  await until(agent.visit, ({ status }) => status === 503)
  await until(device.read, ({ status }) => status === 'stopped')
  expect(await agent.nodeReds()).toEqual([])
  expect(await agent.acted()).toEqual(['good'])
  await agent.end()
})

/** Counts in the persistent context at `/count`, by a module, and shows a credential at `/secret`. */
const lasting = (label: string) => [
  ...labelled(label).map((node) => (node.id === 'tab' ? { ...node, env: [{ name: 'SECRET', type: 'cred' }] } : node)),
  on('count-in', 'http in', { url: '/count', method: 'get', wires: [['count']] }),
  on('count', 'function', {
    func: "const n = flour.next(flow.get('n', 'persistent')); flow.set('n', n, 'persistent'); return { ...msg, payload: String(n) }",
    libs: [{ var: 'flour', module: 'forge-flour' }],
    wires: [['out']],
  }),
  on('secret-in', 'http in', { url: '/secret', method: 'get', wires: [['secret']] }),
  on('secret', 'change', {
    rules: [{ t: 'set', p: 'payload', pt: 'msg', to: 'SECRET', tot: 'env' }],
    wires: [['out']],
  }),
]

test('the registry that the file of a device names serves its targets, and the modules that Node-RED installs itself', async () => {
  for (const version of ['1.0.0', '3.0.0'])
    registry.publish('forge-flour', version, {
      'index.js': `exports.next = (n = 0) => n + ${Number.parseInt(version)}`,
    })
  const { agent } = await world.machine()
  agent.write({ registry: registry.url })
  await world.target('Fetched', lasting('fetched'), { 'forge-flour': '1.0.0' })
  agent.start()
  await agent.answers('fetched')
  expect((await agent.visit('/count')).text).toBe('1')
  // Not in the snapshot.
  await world.target('Found', lasting('found'))
  await agent.answers('found')
  expect((await agent.visit('/count')).text).toBe('4')
  await agent.end()
})

test('modules are installed beside what runs; context, files and credentials outlast a takeover and a power cut', async () => {
  for (const [version, step] of Object.entries({ '1.0.0': 1, '2.0.0': 10 }))
    registry.publish('forge-flour', version, { 'index.js': `exports.next = (n = 0) => n + ${step}` })
  const { agent } = await world.machine({ env: { npm_config_registry: registry.url } })
  const secret = { tab: { SECRET: 'dough' } }
  await world.target('One', lasting('one'), { 'forge-flour': '1.0.0' }, secret)
  agent.start()
  await agent.answers('one')
  expect((await agent.visit('/count')).text).toBe('1')
  expect((await agent.visit('/secret')).text).toBe('dough')
  const asked = agent.asking()
  await world.target('Two', lasting('two'), { 'forge-flour': '2.0.0' }, secret)
  await agent.answers('two')
  expect((await asked.stop()).filter(({ status }) => status !== 200)).toEqual([])
  expect((await agent.visit('/count')).text).toBe('11')
  await agent.said(/Running Two/)
  await agent.cutPower()
  registry.retract('forge-flour', '2.0.0')
  agent.start()
  await agent.answers('two')
  expect((await agent.visit('/count')).text).toBe('21')
  expect((await agent.visit('/secret')).text).toBe('dough')
  await until(agent.acted, (all) => all.join() === 'one,two,two')
  const stored = await readFile(join(agent.dir, 'agent.json'), 'utf8')
  const { active } = JSON.parse(stored) as { active: { id: string } }
  expect(await readFile(join(agent.dir, 'targets', `${active.id}.json`), 'utf8')).not.toContain('dough"')
  await agent.end()
})
