import { execFileSync } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versionsFor } from '../../testing/local.harness.ts'

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const on = (id: string, type: string, more: object) => ({ id, type, z: 'tab', x: 1, y: 1, wires: [[]], ...more })

/** Starts Node-RED with these flows. */
async function begin(nodered: string, flows: object[], credentials?: object) {
  const { driver, putFlows, spec, close } = await openLocal()
  onTestFinished(close)
  const one = spec(nodered)
  putFlows(one.id, flows, credentials)
  await driver.start(one)
  await runs(driver, one.id)
  const report = async () => (await driver.flows(one.id))!
  return {
    report,
    faults: async () =>
      (await report()).faults
        .flatMap(({ kind, node, message, count }) => (kind === 'error' ? `${node?.id} ${count}: ${message}` : []))
        .toSorted(),
    ask: (path: string, options: { method: string }) => askInstance(driver.endpoint(one.id)!, path, options),
    async deploy(next: object[]) {
      const endpoint = driver.endpoint(one.id)!
      const headers = { ...bearer(await signIn(endpoint)), 'Node-RED-Deployment-Type': 'nodes' }
      expect((await askInstance(endpoint, '/flows', { body: next, headers })).status).toBe(204)
    },
  }
}

const lost = (id: string, type: string, path: string) => ({ id, type, path, wholemsg: 'false', tls: '', hb: '0' })
const broker = {
  id: 'broker',
  type: 'mqtt-broker',
  broker: '127.0.0.1',
  port: '1',
  protocolVersion: '4',
  autoConnect: true,
}
const waiting = [
  tab,
  on('in', 'http in', { url: '${NOWHERE}', method: 'get' }),
  on('beat', 'inject', { repeat: '${NOWHERE}', props: [] }),
  on('udp', 'udp in', { port: '${NOWHERE}', iface: '', ipv: 'udp4', multicast: 'false', group: '', datatype: 'utf8' }),
  lost('client', 'websocket-client', '${ELSEWHERE}'),
  on('calls', 'websocket in', { server: '', client: 'client' }),
  lost('listener', 'websocket-listener', '${NOWHERE}'),
  on('hears', 'websocket in', { server: 'listener', client: '' }),
  broker,
  on('orders', 'mqtt in', { topic: '${NOWHERE}', qos: '0', broker: 'broker' }),
]
/** Node-RED only warns of these, says nothing, or logs an error. */
const useless = [
  tab,
  on('noPath', 'http in', { url: '', method: 'get' }),
  on('head', 'http in', { url: '/head', method: 'head' }),
  on('full', 'http in', { url: 'http://oven/bread', method: 'get' }),
  on('within', 'http in', { url: '/api/${LINE}/bread', method: 'get' }),
  on('noPort', 'udp in', { port: '', iface: '', ipv: 'udp4', multicast: 'false', group: '', datatype: 'utf8' }),
  on('port', 'udp in', { port: '70000', iface: '', ipv: 'udp4', multicast: 'false', group: '', datatype: 'utf8' }),
  on('tcp', 'tcp in', { server: 'server', port: '', datamode: 'stream', datatype: 'utf8', newline: '' }),
  on('plc', 'unknown', { name: 'modbus-read' }),
  broker,
  on('orders', 'mqtt in', { topic: 'plant/+x', qos: '0', broker: 'broker' }),
  on('noTopic', 'mqtt in', { topic: '', qos: '0', broker: 'broker' }),
  on('noBroker', 'mqtt in', { topic: 'a', qos: '0', broker: '' }),
  on('out', 'mqtt out', { topic: 'a', qos: '0', broker: 'none' }),
  on('beat', 'inject', { repeat: 'often', props: [] }),
  on('below', 'inject', { repeat: '-5', props: [] }),
  on('hears', 'websocket in', { server: '', client: '' }),
  lost('client', 'websocket-client', 'oven:1880'),
  on('calls', 'websocket in', { server: '', client: 'client' }),
  lost('first', 'websocket-listener', '/same'),
  lost('second', 'websocket-listener', '/same'),
  on('never', 'websocket in', { server: 'second', client: '' }),
]
const said = (id: string, name: string, variable = 'NOWHERE') =>
  `${id} 1: Its ${name} is the variable ${variable}, which has no value`

const pem = (folder: string) =>
  execFileSync(
    'openssl',
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /CN=${folder} -keyout - -out -`.split(
      ' ',
    ),
    { encoding: 'utf8', stdio: 'pipe' },
  )
const part = (text: string, name: string) =>
  new RegExp(`-----BEGIN ${name}-----[^]*?-----END ${name}-----`).exec(text)![0]

describe.each(versionsFor(import.meta.filename))('on Node-RED %s', (nodered) => {
  test('a node whose address is a variable without a value waits for ever, which is an error of it', async () => {
    const { report, faults, deploy } = await begin(nodered, waiting)
    const all = [
      said('beat', 'interval'),
      said('client', 'address', 'ELSEWHERE'),
      said('in', 'path'),
      said('listener', 'path'),
      said('orders', 'topic'),
      said('udp', 'port'),
    ]
    await expect.poll(faults).toEqual(all)
    expect(await report()).toMatchObject({ state: 'started', nodes: 0, enabled: 6 })
    await deploy(waiting.map((node) => (node.id === 'udp' ? { ...node, port: '0' } : node)))
    await expect.poll(faults).toEqual(all.filter((one) => !one.startsWith('udp')))
    expect(await report()).toMatchObject({ nodes: 1, enabled: 6 })
  })

  test('a node that has no address, or none that anything can reach, waits for ever too', async () => {
    const { report, faults } = await begin(nodered, useless)
    const silent = async () => (await faults()).filter((one) => one.includes(' 1: It '))
    await expect
      .poll(silent)
      .toEqual([
        'beat 1: It has an interval that is no number',
        'below 1: It has an interval below zero',
        'client 1: It has an address that begins with neither ws:// nor wss://',
        'full 1: It has a path that no request can have',
        'head 1: It has no method that Node-RED answers',
        'noPath 1: It has no path',
        'noPort 1: It has no port',
        'orders 1: It has a topic that is no MQTT topic',
        'plc 1: It stands in for a node whose type was missing',
        'port 1: It has a port that is no port number',
        'tcp 1: It has no port',
        'within 1: It has a variable within its path, which Node-RED does not replace',
      ])
    // Node-RED logs an error of the others itself.
    const rest = (await faults()).filter((one) => !one.includes(' 1: It ')).map((one) => one.split(' ', 1)[0])
    expect(rest).toEqual(['hears', 'noBroker', 'noTopic', 'out', 'second'])
    expect(await report()).toMatchObject({ state: 'started', nodes: 0, enabled: 17 })
  })

  test('a node whose requests another gets, or whose ID another has, is told until the other goes', async () => {
    const asked = (id: string, url: string, method = 'get') => on(id, 'http in', { url, method })
    const others = [
      asked('bread', '/bread'),
      asked('again', '/Bread/'),
      asked('posted', '/bread', 'post'),
      asked('rolls', '/rolls'),
      on('twin', 'debug', { name: 'second' }),
    ]
    const [any, twin] = [asked('any', '/:what'), on('twin', 'change', { name: 'first', rules: [] })]
    const sub = { id: 'sub', type: 'subflow', name: 'Sub', in: [], out: [] }
    const within = [sub, { ...asked('inner', '/inner'), z: 'sub' }]
    const uses = ['use', 'same'].map((id) => on(id, 'subflow:sub', { wires: [] }))
    const { report, faults, deploy } = await begin(nodered, [tab, twin, any, ...others, ...within, ...uses])
    const behind = (id: string, first: string, count = 1) =>
      `${id} ${count}: Its requests go to the http in “${first}”, which comes first`
    const same = 'twin 1: Another node has the same ID, and only the last of them runs'
    const all = ['again', 'bread', 'rolls'].map((id) => behind(id, '/:what'))
    await expect.poll(faults).toEqual([all[0], all[1], behind('inner', '/:what', 2), all[2], same])
    expect(await report()).toMatchObject({ state: 'started', nodes: 2, enabled: 9 })
    await deploy([tab, ...others, ...within, ...uses])
    await expect.poll(faults).toEqual([behind('again', '/bread'), behind('inner', '/inner')])
    expect(await report()).toMatchObject({ nodes: 4, enabled: 7 })
  })

  test('an http in node whose requests nobody answers is told, and works; with an answer behind it, it is told no more', async () => {
    const inner = { ...on('inner', 'http in', { url: '/inner', method: 'get' }), z: 'sub' }
    const flows = [
      tab,
      on('bread', 'http in', { url: '/bread', method: 'get', wires: [['say']] }),
      on('say', 'template', { template: 'bread', wires: [[]] }),
      on('out', 'http response', { wires: [] }),
      { id: 'sub', type: 'subflow', name: 'Sub', in: [], out: [] },
      inner,
      on('use', 'subflow:sub', { wires: [] }),
    ]
    const { report, deploy, ask } = await begin(nodered, flows)
    const told = async () => (await report()).faults.map(({ kind, node }) => [kind, node?.id, node?.tab?.id])
    await expect.poll(told).toEqual([
      ['answer', 'bread', 'tab'],
      ['answer', 'inner', 'sub'],
    ])
    expect(await report()).toMatchObject({ state: 'started', nodes: 4, enabled: 4 })
    // Node-RED starts the template anew, and not the http in before it.
    await deploy(flows.map((node) => (node.id === 'say' ? { ...node, wires: [['out']] } : node)))
    await expect.poll(told).toEqual([['answer', 'inner', 'sub']])
    expect((await ask('/bread', { method: 'GET' })).text).toBe('bread')
  })

  test('an http in node with a path of the editor is told, and no other', async () => {
    const taken = [
      '/',
      '/flows',
      '/flows/state',
      '/flow/a',
      '/nodes',
      '/nodes/a',
      '/nodes/a/b',
      '/settings',
      '/plugins',
      '/plugins/a',
    ]
    const alsoTaken = [
      '/diagnostics',
      '/auth/login',
      '/auth/strategy',
      '/context/global',
      '/context/flow/a',
      '/context/node/a/b',
    ]
    const ofPages = [
      '/icons',
      '/locales/a',
      '/library/a/b',
      '/credentials/a/b',
      '/settings/user',
      '/forge/instance',
      '/udp-ports/a',
    ]
    const free = ['/flow', '/context', '/inject/a', '/library', '/locales', '/settings/a', '/forge', '/auth']
    const posted = [
      '/flows',
      '/flow',
      '/nodes',
      '/auth/revoke',
      '/inject/a',
      '/debug/a',
      '/debug/a/b',
      '/settings/user',
    ]
    const freePosted = ['/', '/settings', '/auth/login', '/debug', '/context/global']
    const asks = [
      ...[...taken, ...alsoTaken, ...ofPages, ...free].map((url) => ({ method: 'get', url })),
      ...[...posted, ...freePosted].map((url) => ({ method: 'post', url })),
    ]
    const flows = [
      tab,
      ...asks.map(({ method, url }, at) => on(`in-${at}`, 'http in', { method, url, wires: [['say']] })),
      on('say', 'template', { template: 'flow', wires: [['out']] }),
      on('out', 'http response', { wires: [] }),
    ]
    const { faults, ask } = await begin(nodered, flows)
    await expect.poll(faults).not.toEqual([])
    const told = new Set((await faults()).map((one) => one.split(' ', 1)[0]))
    const answered = await Promise.all(
      asks.map(async ({ method, url }, at) => {
        const { text } = await ask(url, { method: method.toUpperCase() })
        return [method, url, text === 'flow', told.has(`in-${at}`)] as const
      }),
    )
    expect(answered.filter(([, , isOfFlow, isTold]) => isOfFlow === isTold)).toEqual([])
    expect(told.size).toBe(asks.length - free.length - freePosted.length)
  })

  test('nor does a node in an instance of a subflow wait in silence, where the value of the instance is missing', async () => {
    const inner = { ...on('orders', 'mqtt in', { topic: '${TOPIC}', qos: '0', broker: 'broker' }), z: 'sub' }
    const use = (id: string, value: string) =>
      on(id, 'subflow:sub', { wires: [], env: value === '' ? [] : [{ name: 'TOPIC', type: 'str', value }] })
    const sub = { id: 'sub', type: 'subflow', name: 'Sub', in: [], out: [] }
    const outer = { ...sub, id: 'outer' }
    const flows = [
      tab,
      broker,
      sub,
      inner,
      outer,
      { ...use('nested', 'oven+'), z: 'outer' },
      use('lacks', ''),
      use('good', 'oven'),
      on('deep', 'subflow:outer', { wires: [] }),
    ]
    const { report, faults } = await begin(nodered, flows)
    await expect
      .poll(faults)
      .toEqual(['orders 1: It has a topic that is no MQTT topic', said('orders', 'topic', 'TOPIC')])
    expect(await report()).toMatchObject({ state: 'started', nodes: 1, enabled: 3 })
  })

  test('a variable with an empty value is none; an inject with one acts if it sends once', async () => {
    const { report, faults } = await begin(nodered, [
      { ...tab, env: [{ name: 'EMPTY', type: 'str', value: '' }] },
      on('empty', 'inject', { repeat: '${EMPTY}', props: [] }),
      on('lost', 'tcp in', { server: 'server', port: '${EMPTY}', datamode: 'stream', datatype: 'utf8', newline: '' }),
      on('any', 'tcp in', { server: 'server', port: '0', datamode: 'stream', datatype: 'utf8', newline: '' }),
      on('pressed', 'inject', { repeat: '', props: [] }),
      on('beat', 'inject', { repeat: '${EVERY}', once: true, onceDelay: '0.1', props: [] }),
      on('daily', 'inject', { repeat: '${EVERY}', crontab: '00 12 * * *', props: [] }),
    ])
    await expect
      .poll(faults)
      .toEqual([said('beat', 'interval', 'EVERY'), said('empty', 'interval', 'EMPTY'), 'lost 1: It has no port'])
    expect(await report()).toMatchObject({ state: 'started', nodes: 4, enabled: 6 })
  })

  test('contents that are no certificate, key or authority are an error of their configuration', async () => {
    const [text, other] = [pem('oven'), pem('mixer')]
    const [certdata, keydata] = [part(text, 'CERTIFICATE'), part(text, 'PRIVATE KEY')]
    const contents = {
      whole: { certdata, keydata, cadata: certdata },
      empty: {},
      certificate: { certdata: 'Certificate', keydata },
      key: { certdata, keydata: 'Key' },
      others: { certdata, keydata: part(other, 'PRIVATE KEY') },
      authority: { cadata: 'Authority' },
    }
    const configs = Object.keys(contents).map((id) => ({ id, type: 'tls-config', cert: '', key: '', ca: '' }))
    const { faults } = await begin(nodered, [tab, ...configs], contents)
    const told = expect.stringContaining('1: Its certificates or keys cannot be used: ') as string
    await expect.poll(faults).toEqual([told, told, told, told])
    const named = (await faults()).map((one) => one.split(' ', 1)[0])
    expect(named).toEqual(['authority', 'certificate', 'key', 'others'])
  })
})
