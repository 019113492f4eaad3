import { versionsFor } from '@app/drivers/testing/versions'
import type { Deployment, Instance } from '@app/contract'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openNodeRedWorkshop, until } from '../../../testing/index.ts'

type Node = Record<string, unknown>

const { server, owner, running, raw, settled, visit } = await openNodeRedWorkshop({ steadySeconds: 0.5 })

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const on = (id: string, type: string, more: Node = {}): Node => ({ id, type, z: 'tab', x: 9, y: 9, wires: [], ...more })
const good = [
  tab,
  on('in', 'http in', { url: '/word', method: 'get', wires: [['say']] }),
  on('say', 'template', { template: 'good', wires: [['out']] }),
  on('out', 'http response'),
]
const code = (initialize: string, func = 'return msg') =>
  on('fn', 'function', { func, initialize, outputs: 1, wires: [[]] })
const once = (func: string) => [
  on('once', 'inject', { once: true, onceDelay: 0.1, repeat: '', props: [], wires: [['fn']] }),
  on('fn', 'function', { func, outputs: 1, wires: [[]] }),
]

/** Flows that run with errors, of nodes that are others for each `way`. */
const faulty = (way: string, port: number): Node[] => [
  ...good,
  on(`code-${way}`, 'function', { func: 'msg.payload = {;', outputs: 1, wires: [[]] }),
  on(`tcp-${way}`, 'tcp in', { server: 'server', port: `${port}`, datamode: 'stream', datatype: 'utf8', newline: '' }),
  { id: `broker-${way}`, type: 'mqtt-broker', broker: '127.0.0.1', port: '1', protocolVersion: '4', autoConnect: true },
  on(`mqtt-${way}`, 'mqtt in', { topic: 'a', qos: '0', broker: `broker-${way}`, wires: [[]] }),
]

const broker = {
  id: 'broker',
  type: 'mqtt-broker',
  broker: '127.0.0.1',
  port: '1',
  protocolVersion: '4',
  autoConnect: true,
}

/** Flows that do not run, or not all of them, each brought to an instance that serves good ones. */
const attacks: Record<string, Node[]> = {
  'a flow that ends its process a moment later': [
    ...good,
    code('setTimeout(() => { Promise.reject(new Error("crash")) }, 300)'),
  ],
  'configuration that is not there': [...good, on('mqtt', 'mqtt in', { topic: 'a', broker: 'gone' })],
  'a type that is missing in a subflow': [
    ...good,
    { id: 'sub', type: 'subflow', name: 'Sub', in: [], out: [] },
    { ...on('inner', 'modbus-read'), z: 'sub' },
    on('use', 'subflow:sub'),
  ],
  'a subflow that is missing': [...good, on('use', 'subflow:gone')],
  'a missing type on a disabled tab': [
    ...good,
    { id: 'off', type: 'tab', label: 'Off', disabled: true },
    { ...on('lacks', 'modbus-read'), z: 'off' },
  ],
  'configuration that needs itself': [
    ...good,
    { id: 'a', type: 'mqtt-broker', broker: 'localhost', port: '1', tls: 'b' },
    { id: 'b', type: 'tls-config', cert: '', key: '', ca: 'a' },
    { id: 'c', type: 'tls-config', cert: 'd', key: '', ca: '' },
    { id: 'd', type: 'tls-config', cert: 'c', key: '', ca: '' },
  ],
  'an address that a missing variable names': [
    ...good,
    on('tcp', 'tcp in', { server: 'server', port: '${NOWHERE}', datamode: 'stream', datatype: 'utf8', newline: '' }),
  ],
  'a UDP port that a missing variable names': [
    ...good,
    on('udp', 'udp in', { port: '${NOWHERE}', iface: '', ipv: 'udp4', multicast: 'false', datatype: 'utf8' }),
  ],
  'a topic that is none': [...good, broker, on('mqtt', 'mqtt in', { topic: 'plant/+x', qos: '0', broker: 'broker' })],
  'a topic in a subflow that a missing variable names': [
    ...good,
    broker,
    { id: 'sub', type: 'subflow', name: 'Sub', in: [], out: [] },
    { ...on('inner', 'mqtt in', { topic: '${NOWHERE}', qos: '0', broker: 'broker' }), z: 'sub' },
    on('use', 'subflow:sub'),
  ],
  'a stand-in for a node whose type was missing': [...good, on('plc', 'unknown', { name: 'modbus-read' })],
  'one ID of two nodes': [
    ...good,
    on('twin', 'http in', { url: '/first', method: 'get', wires: [['say']] }),
    on('twin', 'http in', { url: '/second', method: 'get', wires: [['say']] }),
  ],
  'one path of two http in nodes': [...good, on('again', 'http in', { url: '/word', method: 'get', wires: [['out']] })],
  'a path of the editor': [...good, on('home', 'http in', { url: '/', method: 'get', wires: [['say']] })],
  'a path with a variable in it': [
    ...good,
    on('line', 'http in', { url: '/line/${LINE}', method: 'get', wires: [['say']] }),
  ],
  'a listener without a port': [
    ...good,
    on('tcp', 'tcp in', { server: 'server', port: '', datamode: 'stream', datatype: 'utf8', newline: '' }),
  ],
  'an ID that every object of JavaScript has': [
    ...good,
    { ...code(''), id: '__proto__' },
    { ...code(''), id: 'constructor' },
  ],
  'a group in one that is not there': [...good, { id: 'g', type: 'group', z: 'tab', g: 'gone', nodes: ['in'] }],
  'a time that never comes': [...good, on('feast', 'inject', { repeat: '', crontab: '0 0 31 2 *', props: [] })],
  'a subflow that contains itself': [
    ...good,
    { id: 'sub', type: 'subflow', name: 'Sub', in: [], out: [] },
    { ...on('inner', 'subflow:sub'), z: 'sub' },
    on('use', 'subflow:sub'),
  ],
  'a WebSocket that a missing variable names': [
    ...good,
    { id: 'client', type: 'websocket-client', path: '${NOWHERE}', tls: '', wholemsg: 'false', hb: '0' },
    on('ws', 'websocket in', { server: '', client: 'client' }),
  ],
}

const importTo = async ({ id }: { id: string }, flows: object[], more: object = {}): Promise<Deployment> => {
  expect((await raw('POST', `/${id}/import`, { flows: JSON.stringify(flows), ...more })).status).toBe(200)
  await settled(id)
  return (await owner.client.call('deployment.list', { params: { instanceId: id }, query: {} })).deployments[0]!
}

describe.each(versionsFor(import.meta.filename))('on Node-RED %s', (nodered) => {
  let one: Instance
  beforeAll(async () => {
    one = await running()
    const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
    const chosen = stacks.find(({ properties }) => properties.nodered === nodered)!
    if (one.stack.id !== chosen.id) await raw('PUT', `/${one.id}`, { stack: chosen.id })
    await settled(one.id)
    await importTo(one, good)
  })

  const ways: Record<string, (flows: Node[]) => Promise<unknown>> = {
    import: (flows) => importTo(one, flows),
    async rollback(flows) {
      const params = { instanceId: one.id }
      const { id: snapshot } = await owner.client.call('snapshot.create', { params, body: { name: 'Bad', flows } })
      await owner.client.call('deployment.rollback', { params, body: { snapshot } })
    },
  }

  test.each(Object.keys(ways))('a %s names each new error of flows that run', async (way) => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, resolve))
    onTestFinished(() => void taken.close())
    await ways[way]!(faulty(way, (taken.address() as AddressInfo).port))
    await settled(one.id)
    const { deployments } = await owner.client.call('deployment.list', { params: { instanceId: one.id }, query: {} })
    const [{ kind, state, faults = [] }] = deployments as [Deployment]
    const told = faults.map((fault) => `${fault.kind} ${fault.node?.id}`)
    expect([kind, state]).toEqual([way, 'done'])
    const all = [`compile code-${way}`, `listen tcp-${way}`, `status mqtt-${way}`]
    expect(told).toEqual(expect.arrayContaining(all))
  })

  test('flows of which no node works are refused, though comments, groups and configuration are there', async () => {
    const flows = [
      tab,
      on('note', 'comment', { name: 'Read this' }),
      { id: 'group', type: 'group', z: 'tab', nodes: ['bad'], x: 1, y: 1, w: 1, h: 1 },
      { id: 'tls', type: 'tls-config', cert: '', key: '', ca: '' },
      on('bad', 'function', { func: 'msg.payload = {;', outputs: 1, wires: [[]] }),
    ]
    expect(await importTo(one, flows)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('None of its nodes works.') as string,
      faults: [{ kind: 'compile', node: { id: 'bad' } }],
    })
    expect((await visit(one.name, '/word')).text).toBe('good')
  })

  const never = (id: string) => ({
    ...code('await new Promise(() => {})'),
    id,
  })
  const sends = on('sends', 'inject', { once: true, onceDelay: 0.1, repeat: '', props: [], wires: [['fn']] })
  const setup = (id: string) => ({ kind: 'setup', node: { id, type: 'function', tab: { label: 'Oven' } } })

  test('a function whose setup code never ends is named, and refused where nothing else works; one that takes long is not', async () => {
    expect(await importTo(one, [tab, sends, never('fn')])).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('None of its nodes works.') as string,
      faults: [setup('fn')],
    })
    expect((await visit(one.name, '/word')).text).toBe('good')
    const long = await importTo(one, [...good, code('await new Promise((done) => setTimeout(done, 400))')])
    expect(long).toMatchObject({ state: 'done' })
    expect(long).not.toHaveProperty('faults')
    expect(await importTo(one, [...good, never('hangs')])).toMatchObject({ state: 'done', faults: [setup('hangs')] })
    // It was so before.
    expect(await importTo(one, [...good, never('hangs'), on('log', 'debug')])).not.toHaveProperty('faults')
  })

  test('flows that only send messages to a function that does not compile, or get them from it, are refused', async () => {
    const broken = on('fn', 'function', { func: 'msg.payload = {;', outputs: 1, wires: [['log']] })
    expect(await importTo(one, [tab, sends, broken, on('log', 'debug')])).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('None of its nodes works.') as string,
      faults: [{ kind: 'compile', node: { id: 'fn' } }],
    })
    expect((await visit(one.name, '/word')).text).toBe('good')
  })

  test('flows without an enabled node need a yes in the place of those that serve', async () => {
    const bare = [[], [tab], [{ ...tab, disabled: true }, ...good.slice(1)], good.map((node) => ({ ...node, d: true }))]
    for (const flows of bare)
      expect(await importTo(one, flows)).toMatchObject({
        state: 'failed',
        reason: expect.stringContaining('no enabled nodes') as string,
      })
    expect((await visit(one.name, '/word')).text).toBe('good')
  })

  test.each(['', '${NOWHERE}'])('an http in node with the path "%s" is an error, and refused alone', async (url) => {
    const lost = (id: string) => on(id, 'http in', { url, method: 'get', wires: [['say']] })
    const fault = { kind: 'error', node: { id: 'lost', type: 'http in', tab: { label: 'Oven' } } }
    expect(await importTo(one, [...good, lost('lost')])).toMatchObject({ state: 'done', faults: [fault] })
    expect(await importTo(one, [tab, lost('in'), ...good.slice(2)])).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('None of its nodes works.') as string,
    })
    expect((await visit(one.name, '/word')).text).toBe('good')
    await importTo(one, good)
  })

  test('a certificate that is none is an error of its configuration', async () => {
    const tls = { id: 'tls', type: 'tls-config', name: 'Plant', cert: '', key: '', ca: '' }
    const credentials = JSON.stringify({ tls: { certdata: 'No certificate', keydata: 'No key' } })
    expect(await importTo(one, [...good, tls], { credentials })).toMatchObject({
      state: 'done',
      faults: [{ kind: 'error', node: { id: 'tls', type: 'tls-config', name: 'Plant' } }],
    })
    await importTo(one, good)
  })

  test.each(Object.entries(attacks))('%s does not end as done without a word', async (_name, flows) => {
    const { state, faults = [] } = await importTo(one, flows)
    expect(state === 'failed' || (state === 'done' && faults.length > 0)).toBe(true)
    expect((await visit(one.name, '/word')).text).toBe('good')
  })
})

test('an endless loop is refused, and an instance that hangs in one gets other flows', async () => {
  const one = await running()
  expect(await importTo(one, good)).toMatchObject({ state: 'done' })
  expect(await importTo(one, [...good, ...once('for (;;) {}')])).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('endless loop') as string,
  })
  const hangs = [...good, on('get', 'http in', { url: '/hang', method: 'get', wires: [['fn']] })]
  expect(await importTo(one, [...hangs, on('fn', 'function', { func: 'for (;;) {}' })])).toMatchObject({
    state: 'done',
  })
  const hanging = visit(one.name, '/hang').catch(() => undefined)
  await until(
    async () => server.driver.pair!.opens(one.id, server.driver.pair!.serving(one.id)[0]!.slot),
    (opens) => opens === undefined,
  )
  // Others stop what serves first, which cannot be done here.
  await raw('PUT', `/${one.id}`, { takeover: 'held' })
  const { state, takeover } = await importTo(one, good)
  await raw('PUT', `/${one.id}`, { takeover: 'auto' })
  expect([state, takeover?.way]).toEqual(['done', 'restart'])
  await hanging
  expect((await visit(one.name, '/word')).text).toBe('good')
})
