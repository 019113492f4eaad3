import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { until } from './build.ts'
import { labelled } from './real.platform.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld()
})
afterAll(async () => world.close())

/** Log lines of the agent as it begins each of its steps. */
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
