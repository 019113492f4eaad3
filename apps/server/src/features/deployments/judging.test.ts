import type { FlowFault, Instance } from '@app/contract'
import type { Driver } from '@app/drivers'
import { describe, expect, test } from 'vitest'
import { createStubDriver, instanceCalls, openWorkshop, startServer } from '../../../testing/index.ts'

const { server, owner, application, running, script, settled, read, raw, inState } = await openWorkshop()

const flows = [{ id: 'tab', type: 'tab', label: 'Other' }]
const lacks = {
  state: 'stopped' as const,
  missingTypes: ['modbus-read'],
  missingModules: [],
  reason: 'missing-types',
}
const fault = (id: string, message: string, kind: FlowFault['kind'] = 'error'): FlowFault => ({
  kind,
  node: { id, type: 'function', name: `name of ${id}`, tab: { id: 'tab', label: 'Oven' } },
  message,
  count: 1,
  at: 1,
})
const tells = ({ id }: Instance, faults: FlowFault[]) => script().haveFlows(id, { faults, faultCount: faults.length })
const files = JSON.stringify(flows)

/** Ways to have an instance start on something else. */
const ways: Record<string, (instance: Instance, extras: { allowStopped?: string[] }) => Promise<unknown>> = {
  import: async ({ id }, extras) => raw('POST', `/${id}/import`, { flows: files, ...extras }),
  async rollback({ id }, extras) {
    const params = { instanceId: id }
    const { id: snapshot } = await owner.client.call('snapshot.create', { params, body: { name: 'Other', flows } })
    await owner.client.call('deployment.rollback', { params, body: { snapshot, ...extras } })
  },
  async push({ id }, extras) {
    const source = await running()
    await raw('POST', `/${source.id}/import`, { flows: files })
    await settled(source.id)
    const options = { flows: true, envVars: 'keys' }
    await raw('PUT', `/${id}`, { sourceProject: { id: source.id, options, ...extras } })
  },
  async stack({ id, stack }, extras) {
    const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
    await raw('PUT', `/${id}`, { stack: stacks.find((one) => one.id !== stack.id)!.id, ...extras })
  },
}
const last = async ({ id }: Instance) =>
  (await owner.client.call('deployment.list', { params: { instanceId: id }, query: {} })).deployments[0]!

async function deployed(instance: Instance, way = 'import', extras: { allowStopped?: string[] } = {}) {
  await ways[way]!(instance, extras)
  await settled(instance.id)
  return last(instance)
}

describe.each(Object.keys(ways))('%s: flows that do not run', (way) => {
  test('are put back, with a sentence that names what is missing', async () => {
    const instance = await running()
    script().haveFlows(instance.id, { ...lacks, faults: [fault('modbus', 'Node type modbus-read is missing', 'type')] })
    expect(await deployed(instance, way)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('Its flows do not run: node type modbus-read is missing.') as string,
      faults: [{ kind: 'type', node: { id: 'modbus', tab: { label: 'Oven' } } }],
    })
    expect((await inState(instance.id, 'running')).meta).not.toHaveProperty('flowsStopped')
  })

  test('for a reason that was there before as well are done only if the request allows it, with a warning', async () => {
    const instance = await running()
    script().haveFlows(instance.id, lacks)
    await raw('POST', `/${instance.id}/actions/restart`)
    await settled(instance.id)
    expect((await read(instance.id)).meta.flowsStopped?.missingTypes).toEqual(['modbus-read'])
    expect(await deployed(instance, way)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('Its flows do not run: node type modbus-read is missing.') as string,
    })
    expect(await deployed(instance, way, { allowStopped: ['type:modbus-read'] })).toMatchObject({
      state: 'done',
      warning: 'Its flows do not run: node type modbus-read is missing. They did not run before either.',
    })
  })

  test('for a reason that the request does not name are put back, whatever else it names', async () => {
    const instance = await running()
    script().haveFlows(instance.id, { ...lacks, missingModules: [{ module: 'nanoid', error: '404' }] })
    expect(await deployed(instance, way, { allowStopped: ['type:modbus-read', 'type:other'] })).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('The request does not allow module:nanoid.') as string,
    })
    expect(await deployed(instance, way, { allowStopped: ['type:modbus-read', 'module:nanoid'] })).toMatchObject({
      state: 'done',
      warning: expect.stringContaining('They were deployed anyway.') as string,
    })
  })
})

test.each([true, ['anything']])('a yes that names no reason is refused with a sentence: %j', async (allowStopped) => {
  const instance = await running()
  const { status, json } = await raw('POST', `/${instance.id}/import`, { flows: files, allowStopped })
  expect(status).toBe(400)
  expect(JSON.stringify(json)).toContain('Name each reason to accept')
})

test('flows of which no node starts are kept only if the request allows that, with a warning', async () => {
  const instance = await running()
  await raw('PUT', `/${instance.id}`, { onErrors: 'refuse' })
  script().haveFlows(instance.id, { nodes: 0, faults: [fault('one', 'SyntaxError: no', 'compile')] })
  expect(await deployed(instance, 'import', { allowStopped: ['type:other'] })).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('None of its nodes works. The request does not allow nodes.') as string,
  })
  expect(await deployed(instance, 'import', { allowStopped: ['nodes'] })).toMatchObject({
    state: 'done',
    warning: 'None of its nodes works. They were deployed anyway.',
    faults: [{ node: { id: 'one' } }],
  })
})

const hot = [...flows, { id: 'beat', type: 'inject', z: 'tab', wires: [] }]
test.each<[string, object[]]>([
  ['no flows', []],
  ['only a tab', flows],
  ['a disabled tab', hot.map((one) => (one.id === 'tab' ? { ...one, disabled: true } : one))],
  ['disabled nodes', hot.map((one) => (one.id === 'beat' ? { ...one, d: true } : one))],
  [
    'a subflow that nothing uses',
    [
      { id: 'sub', type: 'subflow' },
      { id: 'in', type: 'inject', z: 'sub', wires: [] },
    ],
  ],
])(
  '%s in the place of flows that can work are kept only if the request allows that, with a warning',
  async (_name, bare) => {
    const instance = await running()
    const bring = async (all: object[], extras: object = {}) => {
      await raw('POST', `/${instance.id}/import`, { flows: JSON.stringify(all), ...extras })
      await settled(instance.id)
      return last(instance)
    }
    script().haveFlows(instance.id, { nodes: 0, enabled: 0 })
    // Nothing ran before.
    const first = await bring(bare)
    expect(first).toMatchObject({ state: 'done', warning: 'None of its nodes is enabled, so nothing runs.' })
    script().haveFlows(instance.id, { nodes: 1, enabled: 1 })
    await bring(hot)
    script().haveFlows(instance.id, { nodes: 0, enabled: 0 })
    expect(await bring(bare)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining(
        'These flows have no enabled nodes: nothing will run. The request does not allow nodes.',
      ) as string,
    })
    expect(await bring(bare, { allowStopped: ['nodes'] })).toMatchObject({
      state: 'done',
      warning: 'None of its nodes is enabled. They were deployed anyway.',
    })
  },
)

test('flows of which no node starts are put back also when their errors were there before', async () => {
  const instance = await running()
  const faults = [fault('one', 'SyntaxError: no', 'compile')]
  tells(instance, faults)
  await raw('POST', `/${instance.id}/actions/restart`)
  await settled(instance.id)
  script().haveFlows(instance.id, { nodes: 0, faults })
  expect(await deployed(instance)).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('None of its nodes works.') as string,
  })
})

test('types, modules and other reasons are told in one sentence', async () => {
  const instance = await running()
  const missingModules = [{ module: 'nanoid', error: '404' }]
  script().haveFlows(instance.id, { ...lacks, missingTypes: ['a', 'b', 'c'], missingModules })
  expect((await deployed(instance)).reason).toContain(
    'Its flows do not run: node types a, b and c are missing, and module nanoid (not found) is missing.',
  )
})

test('new errors of flows that run are on record with their nodes; those that were there before are not', async () => {
  const instance = await running()
  tells(instance, [fault('old', 'timeout after 12 ms')])
  await raw('POST', `/${instance.id}/actions/restart`)
  await settled(instance.id)
  const faults = [
    fault('old', 'timeout after 977 ms'),
    fault('new', 'SyntaxError: no', 'compile'),
    fault('red', 'x', 'status'),
  ]
  tells(instance, faults)
  const done = await deployed(instance)
  expect(done).toMatchObject({ state: 'done', faults: faults.slice(1) })
  expect(done.faults).toHaveLength(2)
  expect((await deployed(instance, 'rollback')).faults).toBeUndefined()
})

describe('a node that showed an error before', () => {
  const bakery = (address: string) => [
    { id: 'tab', type: 'tab', label: 'Oven' },
    { id: 'broker', type: 'mqtt-broker', broker: address, port: '1883' },
    { id: 'in', type: 'mqtt in', z: 'tab', x: 1, y: 1, topic: 'bread', broker: 'broker', wires: [[]] },
    { id: 'scale', type: 'scale', z: 'tab', x: 1, y: 1, wires: [[]] },
  ]
  const shows = (texts: Record<string, string>) => Object.entries(texts).map(([id, text]) => fault(id, text, 'status'))
  const ids = ({ faults = [] }: { faults?: FlowFault[] | undefined }) => faults.map(({ node }) => node?.id)

  test.each<[string, string[], string, Record<string, string>]>([
    ['is away still', [], 'mqtt.hall', { in: 'disconnected', scale: 'battery at 9 %' }],
    ['is in error for another reason', ['scale'], 'mqtt.hall', { in: 'connecting', scale: 'wrong password' }],
    ['is no longer away, but refused', ['in'], 'mqtt.hall', { in: 'bad credentials', scale: 'battery at 9 %' }],
    ['cannot reach another address', ['in'], 'mqtt.other', { in: 'connecting', scale: 'battery at 9 %' }],
  ])('and %s: new errors are those of %j', async (_name, expected, address, texts) => {
    const instance = await running()
    const bring = async (given: object[]) => {
      await raw('POST', `/${instance.id}/import`, { flows: JSON.stringify(given) })
      await settled(instance.id)
      return last(instance)
    }
    tells(instance, shows({ in: 'connecting', scale: 'battery at 12 %' }))
    expect(ids(await bring(bakery('mqtt.hall')))).toEqual(['in', 'scale'])
    tells(instance, shows(texts))
    const done = await bring(bakery(address))
    expect(done.state).toBe('done')
    expect(ids(done)).toEqual(expected)
  })

  test('goes back to the address it had where errors are refused', async () => {
    const instance = await running()
    tells(instance, shows({ in: 'connecting' }))
    await raw('POST', `/${instance.id}/import`, { flows: JSON.stringify(bakery('mqtt.hall')) })
    await settled(instance.id)
    await raw('PUT', `/${instance.id}`, { onErrors: 'refuse' })
    await raw('POST', `/${instance.id}/import`, { flows: JSON.stringify(bakery('mqtt.other')) })
    await settled(instance.id)
    expect(await last(instance)).toMatchObject({ state: 'failed', faults: [{ node: { id: 'in' } }] })
  })
})

test('an instance that refuses errors goes back to what it had, and says which', async () => {
  const instance = await running()
  expect(instance.onErrors).toBe('pass')
  expect((await raw('PUT', `/${instance.id}`, { onErrors: 'sometimes' })).status).toBe(400)
  expect((await raw('PUT', `/${instance.id}`, { onErrors: 'refuse' })).json).toMatchObject({ onErrors: 'refuse' })
  tells(instance, [fault('new', 'SyntaxError: no\n at line 1', 'compile'), fault('red', 'x', 'status')])
  expect(await deployed(instance)).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining(
      'Its flows run with 2 new errors in function “name of new” on “Oven”: SyntaxError: no. Errors are set to be refused here.',
    ) as string,
    faults: [{ node: { id: 'new' } }, { node: { id: 'red' } }],
  })
})

test('requests that nobody answers are told, also where errors are refused, and refuse nothing', async () => {
  const instance = await running()
  tells(instance, [])
  await raw('PUT', `/${instance.id}`, { onErrors: 'refuse' })
  tells(instance, [fault('in', 'Its requests never get an answer', 'answer')])
  expect(await deployed(instance)).toMatchObject({ state: 'done', faults: [{ kind: 'answer', node: { id: 'in' } }] })
})

test('an instance that refuses errors counts all as new when what served before does not tell of its own', async () => {
  const instance = await running()
  await raw('PUT', `/${instance.id}`, { onErrors: 'refuse' })
  const old = [fault('old', 'was there before')]
  tells(instance, old)
  const { driver } = server
  const usual = driver.flows
  driver.flows = async () => undefined
  const refused = await deployed(instance)
  driver.flows = usual
  expect(refused).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('What served before did not tell of its errors, so all count as new.') as string,
  })
})

test('a stage of a pipeline that refuses errors does so for what comes from the stage before it', async () => {
  const [source, target] = [await running(), await running()]
  const { applicationId } = { applicationId: application.id }
  const { id: pipelineId } = await owner.client.call('pipeline.create', {
    params: { applicationId },
    body: { name: 'Ovens' },
  })
  const add = async (instance: Instance, name: string) =>
    owner.client.call('pipeline.addStage', { params: { pipelineId }, body: { name, instanceId: instance.id } })
  await add(source, 'dev')
  const stage = await add(target, 'prod')
  expect(stage.onErrors).toBe('pass')
  const change = async (onErrors: 'pass' | 'refuse') =>
    owner.client.call('pipeline.updateStage', { params: { pipelineId, stageId: stage.id }, body: { onErrors } })
  expect((await change('refuse')).onErrors).toBe('refuse')
  await raw('POST', `/${source.id}/import`, { flows: files })
  await settled(source.id)
  tells(target, [fault('new', 'no')])
  const push = async (from: Instance) => {
    await raw('PUT', `/${target.id}`, { sourceProject: { id: from.id, options: { flows: true, envVars: 'keys' } } })
    await settled(target.id)
    return last(target)
  }
  expect(await push(source)).toMatchObject({ state: 'failed', faults: [{ node: { id: 'new' } }] })
  expect(await push(await running())).toMatchObject({ state: 'done' })
  const { pipelines } = await owner.client.call('pipeline.list', { params: { applicationId } })
  expect(pipelines[0]?.stages[1]?.lastDeployment).toMatchObject({ state: 'done', verdict: 'running' })
})

test('an instance whose flows do not run says so after a restart, and no longer when they do', async () => {
  const instance = await running()
  const restart = async () => {
    await raw('POST', `/${instance.id}/actions/restart`)
    await settled(instance.id)
    return (await inState(instance.id, 'running')).meta
  }
  script().haveFlows(instance.id, lacks)
  expect(await restart()).toMatchObject({
    state: 'running',
    flowsStopped: {
      reason: 'Its flows do not run: node type modbus-read is missing.',
      missingTypes: ['modbus-read'],
      missingModules: [],
    },
  })
  script().haveFlows(instance.id, { state: 'started' })
  expect(await restart()).not.toHaveProperty('flowsStopped')
})

test.each(['of those before', 'of the new ones'])(
  'killed while the flows %s are looked at, it judges them after that as it would have',
  async (which) => {
    const first = await startServer({ driver: createStubDriver })
    const { driver } = first
    const { owner: person, team } = await first.build.platform()
    const home = await first.build.application(person, team)
    const calls = instanceCalls(() => ({ server: first, owner: person, application: home }))
    const { id } = await calls.running()
    const old = [fault('old', 'was there before')]
    driver.script.haveFlows(id, { faults: old })
    await calls.act('restart', id)
    await calls.settled(id)
    driver.script.haveFlows(id, { faults: [...old, fault('new', 'SyntaxError: no', 'compile')] })
    const reached = Promise.withResolvers<void>()
    // The call never ends, as for a process that is gone.
    const asked = which === 'of those before' ? driver : driver.pair!
    const name = which === 'of those before' ? 'flows' : 'trialFlows'
    const usual: unknown = Reflect.get(asked, name)
    const hangs = async () => {
      reached.resolve()
      return new Promise(() => {})
    }
    Object.assign(asked, { [name]: hangs })
    await calls.raw('POST', `/${id}/import`, { flows: files })
    await reached.promise
    Object.assign(asked, { [name]: usual })
    const { close } = driver
    driver.close = async () => {}
    await first.stop()
    driver.close = close
    const second = await startServer({ config: first.config, driver: () => driver as Driver })
    const later = instanceCalls(() => ({ server: second, owner: person, application: home }))
    expect((await later.settled(id))[0]).toMatchObject({ kind: 'deployment.import', state: 'done' })
    const { deployments } = await person.client.call('deployment.list', { params: { instanceId: id }, query: {} })
    expect(deployments[0]).toMatchObject({ state: 'done', faults: [{ kind: 'compile', node: { id: 'new' } }] })
    expect(deployments[0]?.faults).toHaveLength(1)
    await second.close()
  },
)

test('a health check is suggested where flows answer a GET', async () => {
  const { id } = await running()
  const paths = async () => owner.client.call('instance.checkPaths', { params: { instanceId: id } })
  expect(await paths()).toEqual({ paths: [] })
  const get = { type: 'http in', method: 'get', z: 'tab', wires: [[]] }
  const nodes = [
    { id: 'tab', type: 'tab', label: 'Oven' },
    { id: 'off', type: 'tab', label: 'Off', disabled: true },
    { ...get, id: '1', url: '/health' },
    { ...get, id: '2', url: 'ovens' },
    { ...get, id: '3', url: '/ovens/:id' },
    { ...get, id: '4', url: '/order', method: 'post' },
    { ...get, id: '5', url: '/disabled', d: true },
    { ...get, id: '6', url: '/off', z: 'off' },
    { ...get, id: '7', url: '/health' },
    { id: '8', type: 'ui-base', path: '/dashboard' },
    { id: '9', type: 'ui_tab', name: 'Ovens' },
  ]
  await raw('POST', `/${id}/import`, { flows: JSON.stringify(nodes) })
  await settled(id)
  expect(await paths()).toEqual({ paths: ['/health', '/ovens', '/dashboard', '/ui'] })
})
