import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { watchLog } from './log.watcher.ts'
import { labelled, on } from './real.platform.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld({ config: { broker: embeddedBroker } })
})
afterAll(() => world.close())

/** Flows that answer as `labelled`, and say this when they start. */
const saying = (text: string) => [
  ...labelled(text),
  on('speaks', 'inject', { once: true, onceDelay: 0.1, repeat: '', props: [], wires: [['warns']] }),
  on('warns', 'function', { func: `node.warn('flour for ${text}')`, outputs: 1, wires: [[]] }),
]
const watch = async (deviceId: string) => {
  const watcher = await watchLog(world.server.address, deviceId, { cookie: world.owner.cookie })
  onTestFinished(() => watcher.close())
  return {
    ...watcher,
    says: async (text: string) =>
      until(
        async () => watcher.messages().filter((msg) => msg.includes(text)).length,
        (count) => count > 0,
        60_000,
      ),
  }
}

/** A device that runs its first target, and whose agent is connected to the broker. */
async function running() {
  const { device, agent } = await world.machine()
  await world.target('First', saying('first'))
  agent.start()
  await agent.answers('first')
  await agent.said(/Connected to the broker/)
  return { device, agent }
}

test('the log begins with what the device kept, of former targets too, and goes on over a new target', async () => {
  const { device, agent } = await running()
  const watcher = await watch(device.id)
  await watcher.says('flour for first')
  await watcher.says('Running First')
  await world.target('Second', saying('second'))
  await watcher.says('flour for second')
  await watcher.says('Running Second')
  const times = watcher.frames.flat().map(({ ts }) => ts)
  expect(times.every((ts) => /^\d{17}$/.test(ts))).toBe(true)
  const lines = watcher.frames.flat().map(({ ts, msg }) => `${ts} ${msg}`)
  expect(new Set(lines).size).toBe(lines.length)
  await until(
    async () => existsSync(join(agent.dir, 'log.before.ndjson')),
    (isThere) => isThere,
  )
  watcher.close()
  await watcher.ended
  // As after a power cut.
  await agent.cutPower()
  agent.start()
  await agent.answers('second')
  await agent.said(/Connected to the broker/)
  const later = await watch(device.id)
  await later.says('flour for first')
  await later.says('flour for second')
  const [history] = later.frames as { ts: string }[][]
  const sorted = history!.map(({ ts }) => ts)
  expect(sorted).toEqual(sorted.toSorted())
  expect(readFileSync(join(agent.dir, 'log.before.ndjson'), 'utf8')).toContain('flour for first')
  expect(statSync(join(agent.dir, 'log.before.ndjson')).size).toBeLessThan(1024 * 1024)
  await agent.end()
})

test('a watched log goes on without a gap when the agent was away, and ends with a reason while it is', async () => {
  const { device, agent } = await running()
  const watcher = await watch(device.id)
  await watcher.says('Running First')
  await agent.killAgent()
  expect(await watcher.ended).toBe('unconnected')
  agent.start()
  await agent.said(/Connected to the broker/)
  const back = await watch(device.id)
  await back.says('Running First')
  const again = /FlowForge agent .* on Node/
  await until(
    async () => back.messages().filter((msg) => again.test(msg)).length,
    (count) => count === 2,
  )
  await agent.end()
})

test('an agent without a broker in its file cannot send its log, and the platform says so', async () => {
  const { device, agent } = await world.machine()
  agent.write({ brokerURL: undefined })
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  const watcher = await watch(device.id)
  expect(await watcher.ended).toBe('unconnected')
  await agent.end()
})
