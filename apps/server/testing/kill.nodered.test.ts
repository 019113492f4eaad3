import type { Deployment } from '@app/contract'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bundle, runtimeEntry } from '../../../tools/build/node-build.ts'
import { startMosquitto } from '@app/drivers/testing/mosquitto'
import { createVictim, type Victim } from './crash.process.ts'
import { until } from './index.ts'
import { killsOn, type Way } from './kills.ts'
import { labelled, type Node, on, openRealPlatform, type RealPlatform } from './real.platform.ts'

/*
 * A server is killed in the middle of a deployment, and started again. Messages come all the while, by a session that the
 * broker keeps. Some kills only; `FORGE_TEST_KILLS=all` tries each step of each way on both versions of Node-RED.
 */
const patience = 60_000

/** A broker sends each message to one of these versions. */
const subscribed = (label: string, port: number): Node[] => [
  ...labelled(label),
  {
    id: 'broker',
    type: 'mqtt-broker',
    broker: '127.0.0.1',
    port: `${port}`,
    clientid: 'oven',
    cleansession: false,
    // Or Node-RED has the broker forget it whenever it stops, in a restart.
    autoUnsubscribe: false,
    protocolVersion: '4',
    keepalive: '60',
    autoConnect: true,
  },
  on('mqtt', 'mqtt in', { topic: 'bread', qos: '1', datatype: 'utf8', broker: 'broker', wires: [['mark']] }),
  on('mark', 'function', {
    func: `msg.payload = '${label} ' + msg.payload; return msg`,
    outputs: 1,
    wires: [['file']],
  }),
  on('file', 'file', { filename: 'handled.txt', filenameType: 'str', appendNewline: true, overwriteFile: 'false' }),
]
const answering = (label: string) => labelled(label).filter(({ id }) => id !== 'once' && id !== 'acted')
/** Modules of no instance yet, so that each restart has another; those of refused versions do not stay. */
const modules = ['ms@2.1.3', 'isarray@2.0.5', 'inherits@2.0.4', 'once@1.4.0', 'wrappy@1.0.2', 'is-number@7.0.0']
const needing = (label: string, port: number, module: string): Node[] => [
  ...subscribed(label, port),
  on('needs', 'function', { func: 'return msg', libs: [{ var: 'ms', module }], outputs: 1, wires: [[]] }),
]

/** Runs still, by what the driver has on record of an instance. */
function processesOf(home: string, id: string): number {
  const records = ['record.json', 'record.1.json'].map((name) => join(home, 'instances', id, name)).filter(existsSync)
  return records.filter((path) => {
    const { pid } = JSON.parse(readFileSync(path, 'utf8')) as { pid: number }
    try {
      return !readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.startsWith('Z')
    } catch {
      return false
    }
  }).length
}

describe.each(['4.1.15', '5.0.7'])('on Node-RED %s', (version) => {
  let platform: RealPlatform
  let victim: Victim
  let broker: Awaited<ReturnType<typeof startMosquitto>>
  /** One that only answers, and one that is told by the broker, each with what it serves. */
  const served: Record<string, { one: { id: string; name: string }; label: string }> = {}
  const kindOf = (way: Way) => (way === 'beside' ? 'answering' : 'subscribed')
  const kills = killsOn(version)
  const fresh = [...modules]

  beforeAll(async () => {
    broker = await startMosquitto(join(process.env.FORGE_TEST_STACKS!, version))
    platform = await openRealPlatform()
    for (const kind of new Set([...kills.good, ...kills.refused].map(([way]) => kindOf(way)))) {
      const one = await platform.make(version)
      const flows = kind === 'answering' ? answering('first') : subscribed('first', broker.port)
      await platform.importTo(one, flows)
      served[kind] = { one, label: 'first' }
    }
    const two = await platform.make(version)
    await platform.importTo(two, labelled('first'))
    await platform.raw('PUT', `/${two.id}/ha`, { replicas: 2 })
    await platform.settled(two.id)
    served.two = { one: two, label: 'first' }
    await platform.server.stop()
    await bundle({ main: 'apps/server/testing/kill.server.ts' }, join(platform.home, 'program'))
    victim = createVictim({ ...platform.server.config, runtimeEntry } as never, join(platform.home, 'program/main.js'))
  })
  afterAll(async () => {
    await victim.end('SIGTERM')
    await platform.sweep()
    await broker.close()
  })

  const flowsOf: Record<Way, (label: string) => Node[]> = {
    beside: answering,
    held: (of) => subscribed(of, broker.port),
    'stop-first': (of) => subscribed(of, broker.port),
    restart: (of) => needing(of, broker.port, fresh.pop()!),
  }
  const handled = async ({ id }: { id: string }) =>
    (await readFile(join(platform.home, 'instances', id, 'user', 'handled.txt'), 'utf8').catch(() => ''))
      .split('\n')
      .slice(0, -1)
      .map((line) => Number(line.split(' ')[1]))

  const times = async (one: { id: string }, of: string) =>
    (await platform.acted(one)).filter((line) => line === of).length

  /** Imports flows with a server that is killed after a call, and has the next one do it to the end. */
  async function killed(one: { id: string }, at: string, flows: Node[], settings: object, processes: number) {
    await victim.start({ KILL_AT: at })
    expect(await platform.raw('PUT', `/${one.id}`, settings)).toMatchObject({ status: 200 })
    const body = { flows: JSON.stringify(flows) }
    expect(await platform.raw('POST', `/${one.id}/import`, body)).toMatchObject({ status: 200 })
    await victim.over()
    await victim.start()
    const deployment = await until(
      () => platform.last(one),
      ({ state }: Deployment) => state === 'done' || state === 'failed',
      patience,
    )
    await until(
      async () => processesOf(platform.home, one.id),
      (count) => count === processes,
      patience,
    )
    return deployment
  }
  const takeoverOf = (way: Way) => (way === 'restart' ? 'auto' : way)
  const publish = () => {
    const sending = broker.publish('bread', 1, 20)
    onTestFinished(async () => void (await sending.end()))
    return sending
  }
  /** Every message of the kept session is handled, and none twice. */
  async function handledOnce(one: { id: string }, earlier: number, told: number[]): Promise<void> {
    const numbers = async () => (await handled(one)).slice(earlier).toSorted((a, b) => a - b)
    await until(numbers, (all) => all.length >= told.length, patience)
    expect(await numbers()).toEqual(told)
  }

  test.each(kills.refused)('%s: a server that is killed after %s with a version that is refused', async (way, at) => {
    const scene = served[kindOf(way)]!
    const { one, label } = scene
    const next = `refused-${way}-${at}`
    const { length: earlier } = await handled(one)
    // It shows at the start, or only once the version acts.
    const isEarly = /startCandidate|prepareModules|^stop$|^start$/.test(at)
    const wrong = isEarly
      ? [on('lacks', 'modbus-read')]
      : [
          on('sends', 'inject', { once: true, onceDelay: 0.1, repeat: '', props: [], wires: [['throws']] }),
          on('throws', 'function', { func: 'throw new Error("no flour")', outputs: 1, wires: [[]] }),
        ]
    const sending = publish()
    const settings = { takeover: takeoverOf(way), onErrors: 'refuse' }
    const deployment = await killed(one, at, [...flowsOf[way](next), ...wrong], settings, 1)
    expect([deployment.state, deployment.takeover?.way]).toEqual(['failed', way])
    expect(deployment.reason).toMatch(isEarly ? /modbus-read is missing/ : /no flour/)
    expect((await platform.visit(one.name, '/word')).text).toBe(label)
    const sent = (await sending.end()).map(({ number }) => number)
    await handledOnce(one, earlier, way === 'beside' ? [] : sent)
    // One that is refused later has acted before, unless it was held.
    const acted = await times(one, next)
    expect(isEarly ? acted : 0).toBe(0)
    await platform.raw('PUT', `/${one.id}`, { onErrors: 'pass' })
    await victim.end('SIGTERM')
  })

  test.each(kills.ofTwo)('two replicas, a version that is %s: a server that is killed after %s', async (how, at) => {
    const { one, label } = served.two!
    const next = `two-${how}-${at}`
    const wrong = how === 'good' ? [] : [on('lacks', 'modbus-read')]
    // A version that is refused is never released.
    const call = how === 'refused' && at === 'pair.release' ? 'pair.flows' : at
    const deployment = await killed(one, call, [...labelled(next), ...wrong], { takeover: 'held' }, 2)
    expect(deployment.state).toBe(how === 'good' ? 'done' : 'failed')
    const serves = how === 'good' ? next : label
    await until(
      async () => Promise.all([1, 2, 3, 4].map(async () => (await platform.visit(one.name, '/word')).text)),
      (words) => words.every((word) => word === serves),
      patience,
    )
    // Both may be replaced once more by the server that came back.
    expect(await times(one, next)).toBeLessThanOrEqual(how === 'good' ? 4 : 0)
    served.two!.label = serves
    await victim.end('SIGTERM')
  })

  test.each(kills.good)('%s: a server that is killed after %s', async (way, at) => {
    const scene = served[kindOf(way)]!
    const { one, label } = scene
    const next = `${way}-${at}`
    const [begun, { length: earlier }] = [await times(one, label), await handled(one)]
    const sending = publish()
    const deployment = await killed(one, at, flowsOf[way](next), { takeover: takeoverOf(way) }, 1)
    expect([deployment.state, deployment.takeover?.way]).toEqual(['done', way])
    expect((await platform.visit(one.name, '/word')).text).toBe(next)
    const sent = (await sending.end()).map(({ number }) => number)
    // Where nothing subscribes, none comes.
    const isTold = way !== 'beside'
    await handledOnce(one, earlier, isTold ? sent : [])
    expect(await times(one, next)).toBe(isTold ? 1 : 0)
    // Flows that were stopped for the new ones may have been started again by the server that came back.
    expect(await times(one, label)).toBeLessThanOrEqual(begun + 1)
    scene.label = next
    await victim.end('SIGTERM')
  })
})
