import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { TestAgent } from './agent.ts'
import { nodeRedNamed, nodeRedOf, partiesOf } from './agent.parties.ts'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { connectBroker, embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { enterEditor } from './editor.browser.ts'
import { labelled, on } from './real.platform.ts'

/*
 * Each party is killed at each step of a device, and is away for a day. More kills of the agent are in
 * agent.kill.nodered.test.ts.
 */
type Machine = Awaited<ReturnType<AgentWorld['machine']>>
let world: AgentWorld
let parties: Awaited<ReturnType<typeof partiesOf>>
let one: Machine
let serial = 0
beforeAll(async () => {
  world = await openAgentWorld({ config: { broker: embeddedBroker, steadySeconds: 0.5 } })
  parties = await partiesOf(world)
  one = await world.machine()
  await world.target('First', answering('first'))
  one.agent.start()
  await one.agent.answers('first')
  await one.agent.said(/Connected to the broker/)
})
afterAll(async () => {
  await parties.close()
  await world.close()
})

/** Flows that can run side by side, so that a takeover interrupts nothing. */
const answering = (label: string) => labelled(label).slice(0, 4)
const nextLabel = () => `v${(serial += 1)}`
const runs = async (name: string) =>
  until(
    async () => parties.read(one.device.id),
    ({ activeSnapshot, status }) => activeSnapshot?.name === name && status === 'running',
    90_000,
  )
const kill = async (agent: TestAgent, which: 'active' | 'candidate') =>
  void process.kill(-(await nodeRedOf(agent, which)), 'SIGKILL')

async function killAgent(): Promise<void> {
  await one.agent.killAgent()
  one.agent.start()
}

/** Log lines of the agent as it begins each of its steps. */
const steps = {
  download: /Downloading the target/,
  install: /Installing modules of v/,
  start: /Starting v\d+ beside/,
  'take over': /Taking over with v/,
  finish: /Running v/,
}

describe.each(['server', 'broker'] as const)('the %s is killed as a device begins to', (party) => {
  const killed = async () => (party === 'server' ? parties.killServer() : parties.killBroker())

  test.each(Object.entries(steps))(
    '%s: the device takes its target, and its flows do not notice',
    async (_step, at) => {
      const { agent } = one
      const label = nextLabel()
      const asked = agent.asking()
      const over = agent.whenSaid(at, killed)
      // The answer to this call may be lost with the server.
      await world.target(label, answering(label)).catch(() => undefined)
      await over
      await agent.answers(label)
      await runs(label)
      expect((await asked.stop()).filter(({ status }) => status !== 200)).toEqual([])
      expect(await agent.nodeReds()).toHaveLength(1)
    },
  )
})

test.each([
  ['server', async () => parties.killServer()],
  ['broker', async () => parties.killBroker()],
  ['agent', async () => killAgent()],
])('the %s is killed as a device checks in: it is heard of again, and takes its target', async (_party, killed) => {
  const { agent, device } = one
  await agent.killAgent()
  const over = agent.whenSaid(/Connected to the broker/, killed)
  agent.start()
  await over
  const { lastSeenAt } = await parties.read(device.id)
  await until(
    async () => parties.read(device.id),
    (now) => Date.parse(now.lastSeenAt!) > Date.parse(lastSeenAt!),
  )
  const label = nextLabel()
  await world.target(label, answering(label))
  await agent.answers(label)
  await runs(label)
})

test.each([
  ['download', steps.download],
  ['install', steps.install],
  ['start', steps.start],
])('the Node-RED that runs is killed as a device begins to %s: the new target runs', async (_step, at) => {
  const { agent } = one
  const label = nextLabel()
  const over = agent.whenSaid(at, async () => kill(agent, 'active'))
  await world.target(label, answering(label))
  await over
  await agent.answers(label)
  await runs(label)
  expect(await agent.nodeReds()).toHaveLength(1)
})

test('the new Node-RED is killed while it is judged: the old flows go on, and the next target is taken', async () => {
  const { agent } = one
  const [bad, good] = [nextLabel(), nextLabel()]
  const before = (await agent.visit()).text
  const asked = agent.asking()
  const over = agent.whenSaid(steps.start, async () => kill(agent, 'candidate'))
  await world.target(bad, answering(bad))
  await over
  const told = await until(
    async () => parties.read(one.device.id),
    ({ lastDeployment }) => lastDeployment?.name === bad,
    90_000,
  )
  expect(told).toMatchObject({ status: 'running', lastDeployment: { state: 'failed' } })
  expect(told.lastDeployment!.reason).toMatch(/\w+ \w+/)
  expect(new Set((await asked.stop()).map(({ text }) => text))).toEqual(new Set([before]))
  await world.target(good, answering(good))
  await agent.answers(good)
  await runs(good)
})

test('the new Node-RED is killed as it takes over, which it was found fit for: it is started again', async () => {
  const { agent } = one
  const label = nextLabel()
  // By the time that this is heard it may have taken over.
  const killed = async () => void process.kill(-(await nodeRedNamed(agent, label)), 'SIGKILL')
  const over = agent.whenSaid(steps['take over'], killed)
  await world.target(label, answering(label))
  await over
  await agent.answers(label)
  await runs(label)
  expect(await agent.nodeReds()).toHaveLength(1)
})

test('with the editor open each party is killed in turn, and the editor comes back with what was deployed in it', async () => {
  const { agent, device } = one
  const { owner, server } = world
  const params = { deviceId: device.id }
  const label = nextLabel()
  await world.target(label, answering(label))
  await runs(label)
  await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await agent.said(/Developer mode is on/)
  await owner.client.call('deviceEditor.set', { params, body: { enabled: true } })
  const { ask, origin } = await enterEditor(server.address, device.id, owner)
  const v2 = { 'node-red-api-version': 'v2' }
  const flowsNow = async () =>
    (await until(
      async () => ask('/flows', v2).catch(() => ({ status: 0, json: {} })),
      ({ status }) => status === 200,
      60_000,
    ).then(({ json }) => json)) as { flows: object[]; rev: string }
  const { flows, rev } = await flowsNow()
  const tuned = JSON.parse(JSON.stringify(flows).replaceAll(label, 'tuned')) as object[]
  expect((await ask('/flows', { ...v2, origin }, 'POST', { flows: tuned, rev })).status).toBe(200)
  await agent.answers('tuned')
  const killNodeRed = async () => kill(agent, 'active')
  for (const killed of [parties.killServer, parties.killBroker, killAgent, killNodeRed]) {
    await killed()
    expect((await flowsNow()).flows).toEqual(tuned)
    await agent.answers('tuned')
  }
  await until(
    async () => parties.read(device.id),
    ({ editor }) => editor.connected,
  )
})

/** A line of log for each second of a day, and a message for each ten. Bytes of each. */
const day = { seconds: 86_400, line: 250, message: 20_000 }
/** As the handbook says: what waits of messages, and what an instance keeps of its log. */
const most = { waiting: 8 * 1024 * 1024, log: 16 * 1024 * 1024 }

/** Also on a machine that is busy with something else. */
const patience = 240_000

/** Answers when as much was sent and written as in a day. */
const busyDay = [
  ...answering('day'),
  on('day', 'http in', { url: '/day', method: 'get', wires: [['send']] }),
  on('send', 'function', {
    func: `let n = 0
const timer = setInterval(() => {
  for (const end = n + 50; n < end; n += 1) {
    if (n % 10 === 0) node.send([{ payload: { n, bread: 'x'.repeat(${day.message}) } }, null])
    node.warn(n + ' ' + 'x'.repeat(${day.line}))
  }
  if (n < ${day.seconds}) return
  clearInterval(timer)
  node.send([null, { ...msg, payload: 'sent' }])
}, 5)`,
    outputs: 2,
    wires: [['tells'], ['out']],
  }),
  on('tells', 'project link out', { mode: 'link', broadcast: true, project: '', topic: 'news' }),
]

test(
  'the platform is away for a day: flows go on, logs and messages stay bounded, and the newest arrive when it is back',
  async () => {
    const { agent } = await world.machine()
    const { file } = await world.addDevice()
    await world.target('Day', busyDay)
    agent.start()
    await agent.answers('day')
    await agent.said(/Connected to the broker/)
    const [pid] = await agent.nodeReds()
    await parties.victim.end('SIGKILL')
    await parties.killBroker()
    await agent.said(/cannot be reached/)
    expect(await agent.visit('/day')).toEqual({ status: 200, text: 'sent' })
    expect(await agent.nodeReds()).toEqual([pid])
    expect((await agent.visit()).text).toBe('day')
    const troubles = agent.lines().filter((line) => /cannot be reached|connection to the broker ended/.test(line))
    expect(troubles.length).toBeLessThan(5)
    const logs = globSync('nodered/instances/*/logs/*', { cwd: agent.dir })
    const kept = logs.reduce((sum, path) => sum + statSync(join(agent.dir, path)).size, 0)
    expect(kept).toBeGreaterThan(most.log / 2)
    expect(kept).toBeLessThan(most.log * 1.1)

    // It connects again once somebody listens.
    process.kill(pid!, 'SIGSTOP')
    await parties.victim.start()
    const credentials = { username: file.brokerUsername!, password: file.brokerPassword! }
    const listener = await connectBroker(file.brokerURL!, credentials)
    onTestFinished(() => listener.end())
    expect(await listener.subscribe(`ff/v1/${world.team.id}/p/+/out/#`)).toBe(true)
    process.kill(pid!, 'SIGCONT')
    const heard = () => new Set(listener.heard.map(({ body }) => (body as { payload: { n: number } }).payload.n))
    await until(
      async () => heard().has(day.seconds - 10),
      (isThere) => isThere,
      60_000,
    )
    const numbers = [...heard()]
    expect(numbers).toEqual(numbers.map((_, at) => day.seconds - 10 * (numbers.length - at)))
    const waited = numbers.length * day.message
    expect(waited).toBeGreaterThan(most.waiting * 0.9)
    expect(waited).toBeLessThan(most.waiting)
    await agent.end()
  },
  patience,
)
