import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { labelled } from './real.platform.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld({ config: { broker: embeddedBroker } })
})
afterAll(() => world.close())

/** Calls by itself once an hour, so that whatever comes sooner came over the broker. */
const hourly = { interval: 3_600 }

test('an agent with a broker takes another target at once, and its crash is shown at once', async () => {
  const { device, agent } = await world.machine()
  agent.write(hourly)
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await agent.said(/Connected to the broker/)
  const second = await world.target('Second', labelled('second'))
  await agent.answers('second')
  await until(device.read, ({ activeSnapshot, status }) => activeSnapshot?.id === second && status === 'running')
  const { lastSeenAt } = await device.read()
  const [pid] = await until(agent.nodeReds, (all) => all.length === 1)
  process.kill(-pid!, 'SIGKILL')
  await until(device.read, (now) => Date.parse(now.lastSeenAt!) > Date.parse(lastSeenAt!))
  await until(device.read, ({ status }) => status === 'running')
  await device.unassign()
  await until(agent.visit, ({ status }) => status === 503)
  expect(await agent.end()).toBe(0)
})

test('without the broker an agent calls over HTTP, and comes back to it when it is there again', async () => {
  const { device, agent } = await world.machine()
  await world.target('First', labelled('first'))
  agent.start()
  await agent.said(/Connected to the broker/)
  await agent.answers('first')
  const { brokerProcess } = world.server.app.services
  await brokerProcess!.end()
  await agent.said(/The connection to the broker ended. Calling over HTTP meanwhile/)
  const second = await world.target('Second', labelled('second'))
  await agent.answers('second')
  await until(device.read, ({ activeSnapshot }) => activeSnapshot?.id === second)
  await brokerProcess!.start()
  await until(
    async () => agent.lines().filter((line) => line.includes('Connected to the broker')),
    (all) => all.length === 2,
    60_000,
  )
  // Said once, however often it tried.
  expect(agent.lines().filter((line) => line.includes('Calling over HTTP')).length).toBe(1)
  await agent.end()
})

test('[DEV-62] suspended flows stay stopped over a restart of the agent, until they are started', async () => {
  const { device, agent } = await world.machine()
  const act = async (action: 'start' | 'restart' | 'suspend') =>
    world.owner.client.call(`deviceAction.${action}`, { params: { deviceId: device.id } })
  agent.write(hourly)
  await world.target('First', labelled('first'))
  agent.start()
  await agent.answers('first')
  await until(device.read, ({ status }) => status === 'running')
  const [before] = await agent.nodeReds()
  await act('restart')
  await agent.answers('first')
  await until(agent.nodeReds, ([now]) => now !== undefined && now !== before)
  await until(device.read, ({ status }) => status === 'running')

  await until(
    async () => act('suspend').catch((error: Error) => error.message),
    (answer) => typeof answer === 'object',
  )
  await until(agent.visit, ({ status }) => status === 503)
  await until(device.read, ({ status }) => status === 'suspended')
  // A new target waits as well.
  await world.target('Second', labelled('second'))
  await agent.cutPower()
  agent.start()
  await agent.said(/Connected to the broker/)
  await until(device.read, ({ status, lastSeenMs }) => status === 'suspended' && lastSeenMs! < 2_000)
  expect(await agent.nodeReds()).toEqual([])
  await act('start')
  await agent.answers('second')
  await until(device.read, ({ status }) => status === 'running')
  await agent.end()
})

/** An HTTP proxy that connects to everything it is asked for. */
async function openProxy() {
  const asked: string[] = []
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.on('error', () => socket.destroy()))
    socket.once('data', (head) => {
      const [, host = '', port = ''] = /^CONNECT ([^:]+):(\d+)/.exec(head.toString()) ?? []
      asked.push(head.toString().split('\r\n', 1)[0]!)
      const far = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(far).pipe(socket)
      })
      open.add(far.on('error', () => socket.destroy()).on('close', () => socket.destroy()))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    async close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

test('an agent that registers with a one-time code gets the broker, and reaches it by its proxy', async () => {
  const proxy = world.track(await openProxy())
  const { device, agent } = await world.machine()
  agent.write({ ...hourly, proxy: proxy.url, token: undefined, brokerURL: undefined })
  agent.start(['--otc', device.otc, '--forge-url', world.server.address])
  await agent.said(/Connected to the broker/)
  const file = parse(readFileSync(`${agent.dir}/device.yml`, 'utf8')) as Record<string, string>
  const { port } = new URL(world.server.address)
  expect(file).toMatchObject({
    brokerURL: `ws://localhost:${port}/mqtt`,
    brokerPassword: expect.stringMatching(/^ffbd_/),
  })
  expect(proxy.asked()).toContain(`CONNECT localhost:${port} HTTP/1.1`)
  await world.target('First', labelled('first'))
  await agent.answers('first')
  await agent.end()
})
