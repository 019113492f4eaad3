import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { codeFlow, diceFlow } from '../../testing/flows.ts'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versionsFor } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const at = { id: 'tab', label: 'Oven' }
const fn = (id: string, func: string, more: object = {}) => ({
  id,
  z: 'tab',
  type: 'function',
  x: 1,
  y: 1,
  name: `name of ${id}`,
  func,
  outputs: 1,
  wires: [[]],
  ...more,
})

/** Starts Node-RED with these flows. */
async function begin(nodered: string, flows: object[], credentials?: object) {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const one = local.spec(nodered)
  local.putFlows(one.id, flows, credentials)
  await local.driver.start(one)
  await runs(local.driver, one.id)
  const report = async () => (await local.driver.flows(one.id))!
  const deploy = async (next: object[], type = 'full') => {
    const endpoint = local.driver.endpoint(one.id)!
    const headers = { ...bearer(await signIn(endpoint)), 'Node-RED-Deployment-Type': type }
    expect((await askInstance(endpoint, '/flows', { body: next, headers })).status).toBe(204)
  }
  return { ...local, one, report, deploy }
}

describe.each(versionsFor(import.meta.filename))('what a process on Node-RED %s tells of its flows', (nodered) => {
  test('flows that run: how many nodes do, and that nothing is wrong', async () => {
    const { report, driver, one } = await begin(nodered, codeFlow('return msg'))
    expect(await report()).toEqual({
      state: 'started',
      missingTypes: [],
      missingModules: [],
      faults: [],
      faultCount: 0,
      nodes: 3,
      enabled: 3,
      configs: 0,
    })
    expect(await driver.status(one.id)).not.toHaveProperty('flowsStopped')
  })

  test('flows whose credentials cannot be decrypted run, with an error of no node', async () => {
    const { report } = await begin(nodered, codeFlow('return msg'), { $: '00000000000000000000000000000000bm9uZQ==' })
    expect(await report()).toMatchObject({ state: 'started', nodes: 3 })
    const [fault, ...rest] = (await report()).faults
    expect(fault).toMatchObject({ kind: 'error', message: 'The credentials could not be decrypted' })
    expect([fault?.node, rest]).toEqual([undefined, []])
  })

  test('only nodes on flows that are enabled and load count as running', async () => {
    const { report } = await begin(nodered, [
      tab,
      { id: 'off', type: 'tab', label: 'Off', disabled: true },
      { id: 'group', type: 'group', z: 'tab', nodes: ['bad'], x: 1, y: 1, w: 1, h: 1 },
      { id: 'note', type: 'comment', z: 'tab', name: 'Read this', info: '', x: 1, y: 1, wires: [] },
      { id: 'sub', type: 'subflow', name: 'Sub', in: [], out: [] },
      { ...fn('inner', ''), z: 'sub' },
      { ...fn('away', ''), z: 'off' },
      fn('disabled', '', { d: true }),
      fn('bad', 'msg.payload = {;'),
      { id: 'tls', type: 'tls-config', name: '', cert: '', key: '', ca: '' },
    ])
    await until('its code was tried', async () => (await report()).faults.length > 0)
    expect(await report()).toMatchObject({
      state: 'started',
      nodes: 0,
      enabled: 1,
      configs: 1,
      faults: [{ kind: 'compile', node: { id: 'bad' } }],
    })
  })

  test('a type that is missing stops them, is told with its nodes and in the status, and is over after a deploy without it', async () => {
    const { report, deploy, driver, one } = await begin(nodered, diceFlow())
    const missing = { missingTypes: ['random'], missingModules: [], reason: 'missing-types' }
    expect(await report()).toMatchObject({
      state: 'stopped',
      ...missing,
      nodes: 0,
      faults: [{ kind: 'type', node: { id: 'fn', type: 'random', tab: { id: 'tab', label: 'Flow' } } }],
    })
    await until('the status says so', async () => (await driver.status(one.id)).flowsStopped)
    expect(await driver.status(one.id)).toMatchObject({ state: 'running', flowsStopped: missing })
    await deploy(codeFlow('return msg'))
    await until('they run', async () => (await report()).state === 'started')
    expect((await report()).faults).toEqual([])
    await until('the status is clean', async () => !(await driver.status(one.id)).flowsStopped)
  })

  test('a module of a function that cannot be installed stops them', async () => {
    const module = 'no-such-module-qqq-7731'
    const { report } = await begin(nodered, [tab, fn('needs', 'return msg', { libs: [{ var: 'x', module }] })])
    await until('they have settled', async () => (await report()).state !== 'loading')
    expect(await report()).toMatchObject({
      state: 'stopped',
      missingModules: [{ module }],
      reason: 'missing-modules',
      faults: [{ kind: 'module', node: { id: 'needs', name: 'name of needs', tab: at } }],
    })
  })

  test('code that does not parse, a listener without its port, an error and a status in red, each with its node', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const { report } = await begin(nodered, [
      tab,
      { id: 'sub', type: 'subflow', name: 'Mixer', in: [], out: [] },
      { ...fn('inner', 'msg.payload = {;'), z: 'sub' },
      { id: 'of-sub', type: 'subflow:sub', z: 'tab', x: 1, y: 1, wires: [] },
      fn('broken', 'msg.payload = {;'),
      fn('checked', 'msg.payload = {; node.done();'),
      fn('red', '', { initialize: "node.status({ fill: 'red', text: 'no bread' })" }),
      fn('throws', '', { initialize: "node.error(new TypeError('no flour'))" }),
      fn('parses', '', { initialize: "JSON.parse('{')" }),
      { id: 'tcp', z: 'tab', type: 'tcp in', server: 'server', port: String(port), wires: [[]] },
      { id: 'broker', type: 'mqtt-broker', broker: '127.0.0.1', port: '1', autoConnect: true },
      { id: 'mqtt', z: 'tab', type: 'mqtt in', topic: 'a', qos: '0', broker: 'broker', wires: [[]] },
    ])
    await until('all are seen', async () => (await report()).faults.length >= 8)
    const { faults, state, nodes, enabled, configs } = await report()
    // Not running: two whose code does not parse, one whose setup code fails, and an instance of a broken subflow.
    expect({ state, nodes, enabled, configs }).toEqual({ state: 'started', nodes: 4, enabled: 8, configs: 1 })
    const told = Object.fromEntries(faults.map(({ node, kind, message }) => [node?.id, { kind, message }]))
    expect(told).toEqual({
      inner: { kind: 'compile', message: expect.stringContaining('SyntaxError') as string },
      broken: { kind: 'compile', message: expect.stringContaining('SyntaxError') as string },
      checked: { kind: 'compile', message: expect.stringContaining('SyntaxError') as string },
      red: { kind: 'status', message: 'no bread' },
      throws: { kind: 'error', message: 'TypeError: no flour' },
      parses: { kind: 'error', message: expect.stringContaining('SyntaxError') as string },
      tcp: { kind: 'listen', message: expect.stringContaining('EADDRINUSE') as string },
      mqtt: { kind: 'status', message: expect.stringMatching(/connect/) as string },
    })
    expect(faults.find(({ node }) => node?.id === 'inner')?.node?.tab).toEqual({ id: 'sub', label: 'Mixer' })
    expect(faults.find(({ node }) => node?.id === 'throws')?.stack).toContain('no flour')
  })

  test('a change of the errors is told at once, and nothing is told without one', async () => {
    const { deploy, driver, one, report } = await begin(nodered, codeFlow('return msg'))
    const told: string[] = []
    driver.watchFaults((id) => told.push(id))
    await deploy([tab, fn('fails', 'return msg', { initialize: "node.error('no flour')" })])
    await until('it is told', async () => told.length === 1)
    expect((await report()).faults).toMatchObject([{ message: 'no flour' }])
    await deploy(codeFlow('return msg'))
    await until('its end is told', async () => told.length === 2)
    expect((await report()).faults).toEqual([])
    await deploy(codeFlow('return [msg]'))
    await until('the flows run', async () => (await report()).state === 'started')
    expect(told).toEqual([one.id, one.id])
  })

  test('the same error counts up, different ones are kept to fifty, and a deploy of its node ends it', async () => {
    const often = fn('often', '', {
      initialize: "for (let i = 0; i < 70; i++) { node.error('same'); node.error('no ' + i) }",
    })
    const flows = [tab, often, fn('other', 'return {;')]
    const { report, deploy } = await begin(nodered, flows)
    await until('all are seen', async () => (await report()).faultCount === 141)
    const { faults } = await report()
    expect(faults.length).toBe(50)
    expect(faults.find(({ message }) => message === 'same')?.count).toBe(70)
    expect(faults.some(({ kind }) => kind === 'compile')).toBe(true)
    await deploy([tab, fn('often', 'return msg'), flows[2]!], 'nodes')
    await until('only the other is left', async () => (await report()).faults.length === 1)
    expect((await report()).faults[0]).toMatchObject({ kind: 'compile', node: { id: 'other' } })
  })
})
