import { execFileSync } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'

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
    async deploy(next: object[]) {
      const endpoint = driver.endpoint(one.id)!
      const headers = { ...bearer(await signIn(endpoint)), 'Node-RED-Deployment-Type': 'nodes' }
      expect((await askInstance(endpoint, '/flows', { body: next, headers })).status).toBe(204)
    },
  }
}

const lost = (id: string, type: string, path: string) => ({ id, type, path, wholemsg: 'false', tls: '', hb: '0' })
const waiting = [
  tab,
  on('in', 'http in', { url: '${NOWHERE}', method: 'get' }),
  on('udp', 'udp in', { port: '${NOWHERE}', iface: '', ipv: 'udp4', multicast: 'false', group: '', datatype: 'utf8' }),
  lost('client', 'websocket-client', '${ELSEWHERE}'),
  on('calls', 'websocket in', { server: '', client: 'client' }),
  lost('listener', 'websocket-listener', '${NOWHERE}'),
  on('hears', 'websocket in', { server: 'listener', client: '' }),
  { id: 'broker', type: 'mqtt-broker', broker: '127.0.0.1', port: '1', protocolVersion: '4', autoConnect: true },
  on('orders', 'mqtt in', { topic: '${NOWHERE}', qos: '0', broker: 'broker' }),
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

describe.each(versions)('on Node-RED %s', (nodered) => {
  test('a node whose address is a variable without a value waits for ever, which is an error of it', async () => {
    const { report, faults, deploy } = await begin(nodered, waiting)
    const all = [
      said('client', 'address', 'ELSEWHERE'),
      said('in', 'path'),
      said('listener', 'path'),
      said('orders', 'topic'),
      said('udp', 'port'),
    ]
    await expect.poll(faults).toEqual(all)
    expect(await report()).toMatchObject({ state: 'started', nodes: 0, enabled: 5 })
    await deploy(waiting.map((node) => (node.id === 'udp' ? { ...node, port: '0' } : node)))
    await expect.poll(faults).toEqual(all.filter((one) => !one.startsWith('udp')))
    expect(await report()).toMatchObject({ nodes: 1, enabled: 5 })
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
