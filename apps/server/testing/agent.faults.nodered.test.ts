import { versionsFor } from '@app/drivers/testing/versions'
import { startRegistryDouble } from '@app/drivers/testing/registry'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../tools/test/free-port.ts'
import type { TestAgent } from './agent.ts'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { until } from './build.ts'
import { type Fault, faults } from './deployment.faults.ts'
import { ending, labelled, type Node, on } from './real.platform.ts'

const taken = createServer()
let registry: Awaited<ReturnType<typeof startRegistryDouble>>
beforeAll(async () => {
  await new Promise<void>((resolve) => taken.listen(0, resolve))
  registry = await startRegistryDouble()
})
afterAll(async () => {
  taken.close()
  await registry.close()
})

const portTaken = () => (taken.address() as AddressInfo).port
const count = (lines: readonly string[], label: string) => lines.filter((line) => line === label).length
/** The modules of functions are fetched with their snapshot; one that is not in it shows when the flows start. */
const onDevices: Record<string, string[]> = { 'a module of a function that cannot be installed': ['module fn'] }
const refuses = 'code that does not compile, where errors are refused'
const bad = faults[refuses]!

describe.each(versionsFor(import.meta.filename))('on Node-RED %s', (nodered) => {
  let world: AgentWorld
  beforeAll(async () => {
    world = await openAgentWorld({ nodered, config: { steadySeconds: 0.5 } })
  })
  afterAll(async () => world.close())

  async function machine() {
    const one = await world.machine({ env: { npm_config_registry: registry.url } })
    // All devices of the instance get each target, and would want its port.
    onTestFinished(() => one.agent.close())
    return one
  }
  type Machine = Awaited<ReturnType<typeof machine>>

  /** Has the device try flows of this name, and resolves with how that went. */
  async function tries({ device }: Machine, name: string, flows: Node[], modules?: Record<string, string>) {
    await world.target(name, flows, modules)
    const { lastDeployment } = await until(device.read, (one) => one.lastDeployment?.name === name, 110_000)
    return lastDeployment!
  }
  const modulesOf = ({ extras = {} }: Fault) =>
    Object.fromEntries(
      ((extras as { install?: { name: string; version: string }[] }).install ?? []).map((one) => [
        one.name,
        one.version,
      ]),
    )
  /** Resolves when these flows have begun to act so often; the last may still be on its way to the file. */
  const begins = async (agent: TestAgent, label: string, times: number) => {
    await expect.poll(async () => count(await agent.acted(), label)).toBe(times)
  }

  test('a first target without an enabled node is taken, with a warning', async () => {
    const one = await machine()
    one.agent.start()
    const nothing = labelled('nothing').map((node) => ({ ...node, d: true }))
    expect(await tries(one, 'Nothing', nothing)).toMatchObject({
      state: 'done',
      warning: 'None of its nodes is enabled, so nothing runs.',
      faults: [],
    })
    await one.agent.end()
  })

  describe('each fault of flows comes to a device as it does to an instance', () => {
    let one: Machine
    let label = 'first'
    beforeAll(async () => {
      one = await world.machine({ env: { npm_config_registry: registry.url } })
      await world.target('First', labelled('first'))
      one.agent.start()
      await one.agent.answers('first')
      await until(one.agent.acted, (lines) => lines.length === 1)
    })
    afterAll(async () => one.agent.close())

    test.each(Object.keys(faults))('%s', async (name) => {
      const { agent, device } = one
      const fault = faults[name]!
      const brought = `fault-${Object.keys(faults).indexOf(name)}`
      const begun = count(await agent.acted(), label)
      await world.setOnErrors(fault.onErrors ?? 'pass')
      const told = await tries(one, brought, fault.flows(brought, portTaken()), modulesOf(fault))
      expect(told.state).toBe(fault.ends)
      expect(told.reason ?? '').toMatch(fault.reason ?? /^$/)
      const named = told.faults.map(({ kind, node }) => `${kind} ${node?.id}`).toSorted()
      expect(named).toEqual(onDevices[name] ?? fault.faults?.(brought) ?? [])
      const isDone = fault.ends === 'done'
      const { status, activeSnapshot } = await device.read()
      expect([status, activeSnapshot?.name === brought]).toEqual(['running', isDone])
      expect((await agent.visit()).text).toBe(isDone ? brought : label)
      await begins(agent, label, begun + fault.acts.before - 1)
      await begins(agent, brought, fault.acts.brought)
      if (isDone) label = brought
    })
  })

  test('where nothing runs yet, flows that are refused have not acted; good ones act once they have passed', async () => {
    const one = await machine()
    await world.setOnErrors('refuse')
    await world.target('Bad', bad.flows('bad', 0))
    one.agent.start()
    await until(one.device.read, ({ lastDeployment }) => lastDeployment?.state === 'failed', 90_000)
    expect((await one.agent.visit()).status).toBe(503)
    expect(await one.agent.nodeReds()).toEqual([])
    expect(await tries(one, 'Good', labelled('good'))).toMatchObject({ state: 'done', faults: [] })
    await begins(one.agent, 'good', 1)
    expect(await one.agent.acted()).toEqual(['good'])
    await one.agent.end()
  })

  test('a device that is set to stop first judges the new flows before they act, and says what it cost', async () => {
    const one = await machine()
    await one.device.setTakeover('stop-first')
    await world.setOnErrors('refuse')
    await world.target('First', labelled('first'))
    one.agent.start()
    await one.agent.answers('first')
    await begins(one.agent, 'first', 1)
    const why = 'Its settings say so.'
    const refused = await tries(one, 'Bad', bad.flows('bad', 0))
    expect(refused).toMatchObject({ state: 'failed', takeover: { way: 'stop-first', why } })
    expect(refused.takeover!.gapMs).toBeGreaterThan(0)
    await one.agent.answers('first')
    await begins(one.agent, 'first', 2)
    const good = await tries(one, 'Good', labelled('good'))
    expect(good).toMatchObject({ state: 'done', takeover: { way: 'stop-first', why, late: 0, dropped: 0 } })
    await one.agent.answers('good')
    await begins(one.agent, 'good', 1)
    expect(await one.agent.acted()).toEqual(['first', 'first', 'good'])
    await one.agent.end()
  })

  test('a version that ends after it has taken over costs only the requests that it had in hand', async () => {
    const one = await machine()
    await world.setOnErrors('pass')
    await world.target('First', labelled('first'))
    one.agent.start()
    await one.agent.answers('first')
    const asked = one.agent.asking()
    const refused = await tries(one, 'Ending', [...labelled('second'), ...ending])
    const answers = await asked.stop()
    expect(refused).toMatchObject({ state: 'failed', takeover: { way: 'held', gapMs: expect.any(Number) } })
    await one.agent.answers('first')
    expect(answers.length).toBeGreaterThan(50)
    expect(answers.filter(({ status }) => status !== 200 && status !== 502)).toEqual([])
    expect(answers.filter(({ status }) => status === 502).length).toBeLessThan(answers.length / 10)
    await one.agent.end()
  })

  test('errors that the flows before had are no reason to refuse, nor are they told again', async () => {
    const one = await machine()
    await world.setOnErrors('pass')
    await world.target('First', [...labelled('first'), ...bad.flows('same', 0).slice(-1)])
    one.agent.start()
    await one.agent.answers('first')
    await world.setOnErrors('refuse')
    const next = [...labelled('second'), ...bad.flows('same', 0).slice(-1)]
    expect(await tries(one, 'Second', next)).toMatchObject({ state: 'done', faults: [] })
    await one.agent.end()
  })

  test('a port changes hands, and flows that only answer run side by side without a gap', async () => {
    const one = await machine()
    await world.setOnErrors('refuse')
    const port = await freePort()
    const listens = on('tcp', 'tcp in', { server: 'server', port: `${port}`, datamode: 'stream', datatype: 'utf8' })
    const answers = (label: string) => labelled(label).slice(0, 4)
    await world.target('First', [...answers('first'), listens])
    one.agent.start()
    await one.agent.answers('first')
    const held = await tries(one, 'Second', [...answers('second'), listens])
    expect(held).toMatchObject({ state: 'done', faults: [], takeover: { way: 'held' } })
    // The listener of the flows before still counts.
    expect(await tries(one, 'Third', answers('third'))).toMatchObject({ state: 'done', takeover: { way: 'held' } })
    const asked = one.agent.asking()
    const beside = await tries(one, 'Fourth', answers('fourth'))
    expect(beside).toMatchObject({ state: 'done', takeover: { way: 'beside' } })
    expect(beside.takeover!.gapMs).toBeUndefined()
    await one.agent.answers('fourth')
    expect((await asked.stop()).filter(({ status }) => status !== 200)).toEqual([])
    await one.agent.end()
  })
})
