import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { until } from './build.ts'
import { labelled } from './real.platform.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld()
})
afterAll(async () => world.close())

/** By what the agent says when it begins each of its steps. */
const steps = {
  download: /Downloading the target/,
  install: /Installing modules of Second/,
  start: /Starting Second beside/,
  'take over': /Taking over with Second/,
  judge: /No flows acted for/,
  finish: /Running Second/,
}

test.each(Object.entries(steps))(
  'the agent is killed as it begins to %s: flows go on, and the next start ends it',
  async (_step, at) => {
    const { device, agent } = await world.machine()
    await world.target('First', labelled('first'))
    agent.start()
    await agent.answers('first')
    const killed = agent.killAt(at)
    const second = await world.target('Second', labelled('second'))
    await killed
    // Node-RED outlives the agent; two versions of it may be there.
    expect((await agent.nodeReds()).length).toBeGreaterThan(0)
    agent.start()
    await agent.answers('second')
    await until(device.read, ({ activeSnapshot }) => activeSnapshot?.id === second)
    await until(agent.nodeReds, (all) => all.length === 1)
    // Versions follow each other: the first may begin once more, and never after the second was kept.
    // What flows write as they begin may arrive after the report that they run.
    await until(agent.acted, (all) => all.at(-1) === 'second')
    expect((await agent.visit()).text).toBe('second')
    await agent.end()
  },
)

test.each([
  ['install', steps.install] as const,
  ['take over', steps['take over']] as const,
  ['judge', steps.judge] as const,
])('the power fails as the agent begins to %s: the device starts its flows without the platform', async (_step, at) => {
  const { agent } = await world.machine()
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  const killed = agent.killAt(at)
  await world.target('Second', labelled('second'))
  await killed
  await agent.cutPower()
  agent.write({ forgeURL: 'http://127.0.0.1:9' })
  agent.start()
  await agent.answers('first')
  expect((await agent.nodeReds()).length).toBe(1)
  await agent.end()
})

/** A proxy to the platform that delays everything, and cuts every third connection after a few bytes of the answer. */
async function badNetwork() {
  let count = 0
  const open = new Set<Socket>()
  const server = createServer().on('connect', ({ url = '' }, socket: Socket) => {
    count += 1
    const isCut = count % 3 === 0
    const { hostname, port } = new URL(`http://${url}`)
    const far = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    const end = () => [socket, far].forEach((one) => one.destroy())
    // Delayed bytes still arrive.
    const endLater = () => setTimeout(end, 60)
    for (const one of [socket, far]) open.add(one.on('error', endLater).on('close', endLater))
    socket.on('data', (part) => setTimeout(() => far.write(part), 30))
    far.on('data', (part) => {
      setTimeout(() => socket.write(isCut ? part.subarray(0, 40) : part, () => isCut && end()), 30)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    async close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

test('by a proxy that delays and cuts, a device takes its target, and its flows do not notice', async () => {
  const network = world.track(await badNetwork())
  const { device, agent } = await world.machine()
  agent.write({ proxy: network.proxy })
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  const asked = agent.asking()
  const second = await world.target('Second', labelled('second'))
  await agent.answers('second')
  await until(device.read, ({ activeSnapshot }) => activeSnapshot?.id === second)
  expect((await asked.stop()).filter(({ status }) => status !== 200)).toEqual([])
  expect(network.connections()).toBeGreaterThan(6)
  await agent.end()
})
