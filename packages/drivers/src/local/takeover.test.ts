import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Hold } from '../driver.ts'
import { askInstance } from '../testing/instance.http.ts'
import { openLocal, runs, stacksDir, versions } from '../testing/local.harness.ts'
import { freePort, isListening, startMosquitto } from '../testing/mosquitto.ts'
import { until } from '../testing/until.ts'

interface Broker {
  port: number
  qos: 0 | 1 | 2
  /** Absent: the client makes one up. */
  clientId?: string
  /** Does the broker keep the session while nobody is connected? */
  keeps?: boolean
}

const tab = { id: 'tab', type: 'tab', label: 'Flow' }
const http = [
  { id: 'in', z: 'tab', type: 'http in', url: '/version', method: 'get', wires: [['say']] },
  { id: 'say', z: 'tab', type: 'template', template: '{{{v}}}', wires: [['out']] },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]
const writer = (version: string) => [
  {
    id: 'mark',
    z: 'tab',
    type: 'function',
    func: `msg.payload = '${version} ' + msg.payload; return msg`,
    outputs: 1,
    wires: [['file']],
  },
  {
    id: 'file',
    z: 'tab',
    type: 'file',
    filename: 'handled.txt',
    filenameType: 'str',
    appendNewline: true,
    overwriteFile: 'false',
    wires: [[]],
  },
]

/** Flows that write down what they were told, each line with their version. */
const mqttFlow = (version: string, { port, qos, clientId = '', keeps = false }: Broker) => [
  tab,
  ...http,
  {
    id: 'broker',
    type: 'mqtt-broker',
    broker: '127.0.0.1',
    port: String(port),
    clientid: clientId,
    cleansession: !keeps,
    protocolVersion: '4',
    keepalive: '60',
    autoConnect: true,
  },
  {
    id: 'mqtt',
    z: 'tab',
    type: 'mqtt in',
    topic: 'bread',
    qos: String(qos),
    datatype: 'utf8',
    broker: 'broker',
    inputs: 0,
    wires: [['mark']],
  },
  ...writer(version),
]

const tcpFlow = (version: string, port: number) => [
  tab,
  ...http,
  {
    id: 'tcp',
    z: 'tab',
    type: 'tcp in',
    server: 'server',
    port: String(port),
    datamode: 'stream',
    datatype: 'utf8',
    newline: '\n',
    wires: [['mark']],
  },
  ...writer(version),
]

/** Node-RED takes what has no place on its tab for configuration. */
const drawn = (flows: object[]) => flows.map((node) => ('z' in node ? { x: 100, y: 100, ...node } : node))

async function begin(version: string) {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const one = local.spec(version)
  const { id } = one
  const pair = local.driver.pair!
  const handled = async () =>
    (await readFile(join(local.home, 'instances', id, 'user', 'handled.txt'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ') as [version: string, text: string])
  return {
    ...local,
    one,
    id,
    pair,
    handled,
    async run(flows: object[]) {
      local.furnish(id, drawn(flows))
      await local.driver.start(one)
      await runs(local.driver, id)
    },
    /** Starts other flows beside, and waits until they run on trial. */
    async tryBeside(flows: object[], hold: Hold) {
      local.furnish(id, drawn(flows))
      await pair.startBeside(one, hold)
      await until('the one on trial runs', async () => (await pair.trial(id)).state === 'running')
    },
    async takeOver() {
      const old = (await pair.takeOver(id))!
      const since = await pair.pause(id, old)
      const released = await pair.release(id, old === 0 ? 1 : 0, since)
      return { old, gap: released.at - since, ...released }
    },
  }
}

const seen = (lines: [string, string][], version: string) => lines.filter(([of]) => of === version).length
const twice = (lines: [string, string][]) => lines.length - new Set(lines.map(([, text]) => text)).size

const brokers = {
  'without client id, QoS 0': { qos: 0 },
  'without client id, QoS 1': { qos: 1 },
  'with client id, QoS 1': { qos: 1, clientId: 'oven' },
  'with a kept session, QoS 1': { qos: 1, clientId: 'oven', keeps: true },
  'with a kept session, QoS 2': { qos: 2, clientId: 'oven', keeps: true },
} satisfies Record<string, Omit<Broker, 'port'>>

for (const version of versions)
  for (const hold of ['inputs', 'flows'] as const)
    test.each(Object.entries(brokers))(
      `Node-RED ${version}, held ${hold}: no message is handled by two versions, nor by a refused one, %s`,
      async (_name, given: Omit<Broker, 'port'>) => {
        const mosquitto = await startMosquitto(join(stacksDir, version))
        onTestFinished(() => mosquitto.close())
        const broker = { ...given, port: mosquitto.port }
        const { run, tryBeside, takeOver, pair, id, handled } = await begin(version)
        await run(mqttFlow('old', broker))
        const publishing = mosquitto.publish('bread', given.qos)
        await until('the old one handles', async () => seen(await handled(), 'old') > 5)

        await tryBeside(mqttFlow('refused', broker), hold)
        await pair.discard(id)
        const before = seen(await handled(), 'old')
        await until('the old one goes on', async () => seen(await handled(), 'old') > before + 5)

        await tryBeside(mqttFlow('new', broker), hold)
        const { old, gap } = await takeOver()
        await until('the new one handles', async () => seen(await handled(), 'new') > 5)
        await pair.stop(id, old)
        const sent = await publishing.end()
        await until('the last is handled', async () =>
          (await handled()).some(([, text]) => text === String(sent.length - 1)),
        )

        const lines = await handled()
        expect(seen(lines, 'refused')).toBe(0)
        expect(twice(lines)).toBe(0)
        expect(gap).toBeLessThan(hold === 'inputs' ? 1_000 : 3_000)
        const lost = sent.length - new Set(lines.map(([, text]) => text)).size
        expect(given.keeps ? lost : 0).toBe(0)
      },
    )

test.each(versions)('Node-RED %s: a listener listens after each of many changes of version', async (version) => {
  const port = await freePort()
  const { run, tryBeside, takeOver, pair, id } = await begin(version)
  await run(tcpFlow('0', port))
  for (let push = 1; push <= 4; push += 1) {
    await tryBeside(tcpFlow(String(push), port), push % 2 === 0 ? 'inputs' : 'flows')
    const { old } = await takeOver()
    expect(await isListening(port)).toBe(true)
    expect((await pair.opens(id, old === 0 ? 1 : 0))?.listens).toEqual([`tcp ${port}`])
    await pair.stop(id, old)
    expect(await isListening(port)).toBe(true)
  }
})

const injectFlow = (version: string) => [
  tab,
  {
    id: 'once',
    z: 'tab',
    type: 'inject',
    props: [{ p: 'payload' }],
    payload: 'once',
    payloadType: 'str',
    once: true,
    onceDelay: 0.1,
    repeat: '',
    wires: [['mark']],
  },
  {
    id: 'often',
    z: 'tab',
    type: 'inject',
    props: [{ p: 'payload' }],
    payload: 'often',
    payloadType: 'str',
    repeat: '0.2',
    wires: [['mark']],
  },
  ...writer(version),
]

test.each(versions)(
  'Node-RED %s: timers of a version on trial do nothing; what acts once acts when it takes over',
  async (version) => {
    const { run, tryBeside, takeOver, pair, id, handled } = await begin(version)
    await run(injectFlow('old'))
    await until('the old one acts', async () => seen(await handled(), 'old') > 3)
    await tryBeside(injectFlow('refused'), 'inputs')
    const from = seen(await handled(), 'old')
    await until('time passes', async () => seen(await handled(), 'old') > from + 10)
    await pair.discard(id)
    await tryBeside(injectFlow('new'), 'inputs')
    const { old } = await takeOver()
    const last = seen(await handled(), 'old')
    await until('the new one acts', async () => seen(await handled(), 'new') > 3)
    await pair.stop(id, old)
    const lines = await handled()
    expect(seen(lines, 'old')).toBe(last)
    expect(seen(lines, 'refused')).toBe(0)
    expect(lines.filter(([of, text]) => of === 'new' && text === 'once')).toHaveLength(1)
  },
)

test.each(versions)(
  'Node-RED %s: one that takes over and is refused gives back, and the other acts again',
  async (version) => {
    const port = await freePort()
    const { run, tryBeside, takeOver, pair, id, driver, open, one, crash } = await begin(version)
    await run(tcpFlow('old', port))
    const before = await driver.status(id)
    await tryBeside(tcpFlow('new', port), 'inputs')
    expect((await askInstance(pair.trialEndpoint(id)!, '/version')).status).toBe(200)
    await takeOver()
    await pair.giveBack(id)
    expect(await isListening(port)).toBe(true)
    expect(await driver.status(id)).toEqual(before)

    // One that ends by itself once it acts leaves the same.
    await tryBeside(tcpFlow('new', port), 'inputs')
    await takeOver()
    await crash(`${id}~1`)
    await until('its end is seen', async () => (await pair.members(id)).every(({ state }) => state === 'crashed'))
    await pair.giveBack(id)
    expect(await isListening(port)).toBe(true)
    expect(await driver.status(id)).toEqual(before)

    // A platform that ends after it paused what serves: the next one lets it act again.
    await tryBeside(tcpFlow('new', port), 'inputs')
    await pair.pause(id, 0)
    expect(await isListening(port)).toBe(false)
    await driver.close()
    const second = open()
    await second.adopt()
    expect(await isListening(port)).toBe(true)
    expect(second.pair!.serving(id).map(({ slot }) => slot)).toEqual([0])

    // A platform that ends after the new one was to take over: the next one completes that.
    await second.pair!.startBeside(one, 'inputs')
    await until('the one on trial runs', async () => (await second.pair!.trial(id)).state === 'running')
    await second.pair!.takeOver(id)
    await second.pair!.pause(id, 0)
    await second.close()
    const third = open()
    await third.adopt()
    expect(await isListening(port)).toBe(true)
    expect((await third.pair!.members(id)).map(({ slot, state }) => [slot, state])).toEqual([[1, 'running']])
  },
)

test.each(versions)('Node-RED %s: one that gives back loses no message of a kept session', async (version) => {
  const mosquitto = await startMosquitto(join(stacksDir, version))
  onTestFinished(() => mosquitto.close())
  const broker: Broker = { port: mosquitto.port, qos: 1, clientId: 'oven', keeps: true }
  const { run, tryBeside, takeOver, pair, id, handled } = await begin(version)
  await run(mqttFlow('old', broker))
  const publishing = mosquitto.publish('bread', 1)
  await until('the old one handles', async () => seen(await handled(), 'old') > 5)
  await tryBeside(mqttFlow('new', broker), 'flows')
  await takeOver()
  await until('the new one handles', async () => seen(await handled(), 'new') > 5)
  await pair.giveBack(id)
  const before = seen(await handled(), 'old')
  await until('the old one handles again', async () => seen(await handled(), 'old') > before + 5)
  const sent = await publishing.end()
  const last = String(sent.length - 1)
  await until('the last is handled', async () => (await handled()).some(([, text]) => text === last))
  const lines = await handled()
  expect(twice(lines)).toBe(0)
  expect(new Set(lines.map(([, text]) => text)).size).toBe(sent.length)
})
