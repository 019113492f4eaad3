import type { Deployment, Instance } from '@app/contract'
import { startMosquitto } from '@app/drivers/testing/mosquitto'
import { mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from './index.ts'
import { stacksDir } from './homes.ts'
import { labelled, on, openRealPlatform, type RealPlatform } from './real.platform.ts'

/*
 * Another stack brings no flows, so what goes wrong with it is that nodes do otherwise on another Node-RED. Functions
 * compile alike: both versions run on the same Node.js.
 */
const taken = createServer()
let platform: RealPlatform
let broker: Awaited<ReturnType<typeof startMosquitto>>

beforeAll(async () => {
  await new Promise<void>((resolve) => taken.listen(0, resolve))
  broker = await startMosquitto(join(stacksDir, '5.0.7'))
  platform = await openRealPlatform()
})
afterAll(async () => {
  taken.close()
  await broker.close()
  await platform.close()
})

/**
 * Nodes of the instance's own: one that only this Node-RED has, and one that has errors on any other. Another does not find
 * the broker either.
 */
const nodesFor = (nodered: string, port: number) => `const net = require('node:net')
module.exports = (RED) => {
  const isOther = RED.version() !== '${nodered}'
  process.env.OVEN_BROKER_PORT = isOther ? '1' : '${broker.port}'
  function Heater(config) {
    RED.nodes.createNode(this, config)
    this.on('input', () => isOther && this.error('no flour'))
    if (!isOther) return
    this.status({ fill: 'red', text: 'cold' })
    const server = net.createServer().on('error', (error) => this.error(error)).listen(${port})
    this.on('close', (done) => server.close(() => done()))
  }
  RED.nodes.registerType('oven-heater', Heater)
  function Old(config) {
    RED.nodes.createNode(this, config)
  }
  if (!isOther) RED.nodes.registerType('oven-old', Old)
}
`
const types = ['oven-heater', 'oven-old']
const page = types
  .map((type) => `<script type="text/javascript">RED.nodes.registerType('${type}', { defaults: {} })</script>`)
  .join('\n')

async function withNodes(nodered: string): Promise<Instance> {
  const one = await platform.make(nodered)
  await platform.act('suspend', one.id)
  await platform.inState(one.id, 'suspended')
  const folder = join(platform.home, 'instances', one.id, 'user', 'nodes')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'oven.js'), nodesFor(nodered, (taken.address() as AddressInfo).port))
  await writeFile(join(folder, 'oven.html'), page)
  await platform.save(one, [...heated, on('old', 'oven-old')])
  await platform.act('start', one.id)
  return platform.inState(one.id, 'running')
}

const label = 'oven'
const [inject, ...rest] = labelled(label)
  .toReversed()
  .toSorted((a) => (a.id === 'once' ? -1 : 1))
const heated = [
  ...rest,
  { ...inject, wires: [['acted', 'heater']] },
  on('heater', 'oven-heater'),
  {
    id: 'broker',
    type: 'mqtt-broker',
    broker: '127.0.0.1',
    port: '${OVEN_BROKER_PORT}',
    protocolVersion: '4',
    autoConnect: true,
  },
  on('orders', 'mqtt in', { topic: 'bread', qos: '0', broker: 'broker', wires: [[]] }),
]
const told = ({ faults = [] }: Deployment) => faults.map(({ kind, node }) => `${kind} ${node?.id}`).toSorted()

test.each([
  ['4.1.15', '5.0.7'],
  ['5.0.7', '4.1.15'],
])('from Node-RED %s to %s', async (from, to) => {
  const one = await withNodes(from)
  const { stack } = await platform.choiceOf(to)
  const change = (extras = {}) => platform.ended(one, 'PUT', '', { stack, ...extras })
  /** Checks of the number of times its flows have begun to act, and of the Node-RED that serves. */
  const acted = (times: number) =>
    until(
      () => platform.acted(one),
      (lines) => lines.length === times,
    )
  const serves = async (nodered: string) => {
    expect((await platform.visit(one.name, '/word')).text).toBe(label)
    expect((await platform.read(one.id)).stack.properties.nodered).toBe(nodered)
  }
  await acted(1)

  const lacks = await change({ install: [{ name: 'no-such-module-qqq-7731', version: '1.0.0' }] })
  expect(lacks).toMatchObject({ kind: 'stack', state: 'failed' })
  expect(lacks.reason).toContain('no-such-module-qqq-7731')
  expect(lacks.steps.map(({ state }) => state)).toEqual(['failed', 'waiting', 'waiting', 'waiting'])
  await serves(from)

  const missing = await change()
  expect(missing).toMatchObject({ kind: 'stack', state: 'failed', takeover: { way: 'held' } })
  expect(missing.reason).toContain('Its flows do not run: node type oven-old is missing.')
  expect(told(missing)).toEqual(['type old'])
  expect(missing.log?.some(({ msg }) => msg.includes('oven-old'))).toBe(true)
  await serves(from)
  await acted(1)

  await platform.importTo(one, heated)
  await acted(2)
  await platform.raw('PUT', `/${one.id}`, { onErrors: 'refuse' })
  const refused = await change()
  expect(refused).toMatchObject({ kind: 'stack', state: 'failed' })
  // Its node is in error while its inputs are closed, so that it is refused before it acts.
  expect(refused.reason).toContain('Its flows run with 1 new error in oven-heater “heater” on “Oven”: cold.')
  expect(told(refused)).toEqual(['status heater'])
  await serves(from)
  await acted(2)

  await platform.raw('PUT', `/${one.id}`, { onErrors: 'pass' })
  const passed = await change()
  expect(passed).toMatchObject({ kind: 'stack', state: 'done' })
  expect(told(passed)).toEqual(['error heater', 'listen heater', 'status heater', 'status orders'])
  await serves(to)
  await acted(3)
})
