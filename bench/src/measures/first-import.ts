import { password, until } from '@app/server/testing'
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { get } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { median, spread } from '../figures.ts'
import type { Measure } from '../measure.ts'
import { endBroker } from '../processes.ts'
import { runServer, type Server, sessionOf } from '../server.ts'

/** The modules that the flows need, as the editor of a plain Node-RED notes them. */
const modules = {
  'node-red-contrib-moment': '4.0.0',
  'node-red-node-random': '0.4.1',
  'node-red-node-smooth': '0.1.2',
}
const secret = 'of a Node-RED elsewhere'
const everyMs = 5
const waitMs = 60_000

/** The files that people bring from a plain Node-RED as the first thing after they have signed up. */
export const firstImport: Measure = async ({ home, quick }) => {
  const times: number[] = []
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const fresh = mkdtempSync(join(dirname(home), 'fresh-'))
    symlinkSync(join(home, 'stacks'), join(fresh, 'stacks'))
    const server = await runServer(fresh)
    try {
      times.push(await signUpAndImport(server))
    } finally {
      await server.stop()
      await endBroker(fresh)
      rmSync(fresh, { recursive: true, force: true })
    }
  }
  return [
    {
      name: 'first import to answer',
      value: median(times),
      unit: 's',
      target: { is: 'at most', value: 10 },
      measured:
        'from POST …/import, with the modules that its preview offered, to the first right answer of the flows through the proxy',
      data: `Node-RED 5.0.7, flows.json and flows_cred.json with ${Object.keys(modules).length} modules from the npm registry, steady for 3 s, the first thing on a new platform`,
      note: spread(times),
    },
  ]
}

/** Claims a new platform, whose first instance runs then, and imports into that. Returns the seconds of the import. */
async function signUpAndImport(server: Server): Promise<number> {
  const body = {
    token: server.setupToken(),
    username: 'alice',
    email: 'alice@example.com',
    password,
    team: { name: 'Example Bakery', sample: true },
  }
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${server.address}/api/v1/setup`, { method: 'POST', headers, body: JSON.stringify(body) })
  const client = server.client(await sessionOf(reply))
  const { instance } = (await reply.json()) as { instance: { id: string; name: string } }
  const params = { instanceId: instance.id }
  await until(
    () => client.call('instance.get', { params }),
    ({ meta }) => meta.state === 'running',
    waitMs,
  )
  const files = { flows: JSON.stringify(flows), credentials: JSON.stringify(sealed()), credsSecret: secret }
  const { foreseen } = await client.call('deployment.preview', { params, body: { files } })
  const install = foreseen.flatMap(({ module }) => (module ? [module] : []))
  const offered = Object.fromEntries(install.map(({ name, version }) => [name, version]))
  if (install.length !== Object.keys(modules).length)
    throw new Error(`The preview offered ${JSON.stringify(offered)}: ${JSON.stringify(foreseen)}`)

  const asked = performance.now()
  await client.call('instance.import', { params, body: { ...files, install } })
  for (let last = ''; !/^7 \d{4} rye$/.test(last); last = await said(server.port, instance.name)) {
    if (performance.now() - asked > waitMs) {
      const { deployments } = await client.call('deployment.list', { params, query: { limit: 1 } })
      throw new Error(`The flows answered “${last}” after a minute: ${JSON.stringify(deployments[0])}`)
    }
    await delay(everyMs)
  }
  return (performance.now() - asked) / 1_000
}

const at = { z: 'tab', x: 100, y: 100 }
/** They answer with a number, a year and a credential, which takes each of the modules and the right secret. */
const flows = [
  { id: 'global', type: 'global-config', env: [], modules },
  { id: 'tab', type: 'tab', label: 'Oven' },
  {
    id: 'label',
    type: 'subflow',
    name: 'Label',
    env: [{ name: 'KEY', type: 'cred' }],
    in: [{ x: 40, y: 40, wires: [{ id: 'print' }] }],
    out: [{ x: 360, y: 40, wires: [{ id: 'print', port: 0 }] }],
  },
  {
    id: 'print',
    z: 'label',
    x: 200,
    y: 40,
    type: 'function',
    func: "msg.payload = [msg.payload, msg.year, env.get('KEY')].join(' '); return msg",
    outputs: 1,
    wires: [[]],
  },
  { ...at, id: 'in', type: 'http in', url: '/label', method: 'get', wires: [['roll']] },
  { ...at, id: 'roll', type: 'random', low: '7', high: '7', inte: 'true', property: 'payload', wires: [['mean']] },
  {
    ...at,
    id: 'mean',
    type: 'smooth',
    property: 'payload',
    action: 'max',
    count: '2',
    round: '',
    mult: 'single',
    wires: [['year']],
  },
  {
    ...at,
    id: 'year',
    type: 'moment',
    topic: '',
    input: '',
    inputType: 'date',
    inTz: 'Etc/UTC',
    adjAmount: 0,
    adjType: 'days',
    adjDir: 'add',
    format: 'YYYY',
    locale: 'C',
    output: 'year',
    outputType: 'msg',
    outTz: 'Etc/UTC',
    wires: [['sign']],
  },
  { ...at, id: 'sign', type: 'subflow:label', name: '', env: [{ name: 'KEY', type: 'cred' }], wires: [['out']] },
  { ...at, id: 'out', type: 'http response', statusCode: '', headers: {}, wires: [] },
]

/** The file of credentials as Node-RED writes it. */
function sealed(): { $: string } {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(secret).digest(), iv)
  const text = cipher.update(JSON.stringify({ sign: { KEY: 'rye' } }), 'utf8', 'base64') + cipher.final('base64')
  return { $: iv.toString('hex') + text }
}

function said(port: number, name: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { host: `${name.toLowerCase()}.localhost:${port}` }
    get({ host: '127.0.0.1', port, path: '/label', headers, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve(text))
    }).on('error', () => resolve(''))
  })
}
