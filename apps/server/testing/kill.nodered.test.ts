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
const modules = ['ms@2.1.3', 'ms@2.1.2', 'ms@2.1.1']
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

  beforeAll(async () => {
    broker = await startMosquitto(join(process.env.FORGE_TEST_STACKS!, version))
    platform = await openRealPlatform()
    for (const kind of new Set(kills.map(([way]) => kindOf(way)))) {
      const one = await platform.make(version)
      const flows = kind === 'answering' ? answering('first') : subscribed('first', broker.port)
      await platform.importTo(one, flows)
      served[kind] = { one, label: 'first' }
    }
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
    restart: (of) => needing(of, broker.port, modules.pop()!),
  }
  const handled = async ({ id }: { id: string }) =>
    (await readFile(join(platform.home, 'instances', id, 'user', 'handled.txt'), 'utf8').catch(() => ''))
      .split('\n')
      .slice(0, -1)
      .map((line) => Number(line.split(' ')[1]))

  test.each(kills)('%s: a server that is killed after %s', async (way, at) => {
    const scene = served[kindOf(way)]!
    const { one, label } = scene
    const next = `${way}-${at}`
    const times = async (of: string) => (await platform.acted(one)).filter((line) => line === of).length
    const [begun, { length: earlier }] = [await times(label), await handled(one)]
    await victim.start({ KILL_AT: at })
    const takeover = way === 'restart' ? 'auto' : way
    expect(await platform.raw('PUT', `/${one.id}`, { takeover })).toMatchObject({ status: 200 })
    const sending = broker.publish('bread', 1, 20)
    onTestFinished(async () => void (await sending.end()))
    const body = { flows: JSON.stringify(flowsOf[way](next)) }
    expect(await platform.raw('POST', `/${one.id}/import`, body)).toMatchObject({ status: 200 })
    await victim.over()
    await victim.start()

    const deployment = await until(
      () => platform.last(one),
      ({ state }: Deployment) => state === 'done' || state === 'failed',
      patience,
    )
    expect([deployment.state, deployment.takeover?.way]).toEqual(['done', way])
    await until(
      async () => processesOf(platform.home, one.id),
      (count) => count === 1,
      patience,
    )
    expect((await platform.visit(one.name, '/word')).text).toBe(next)
    const sent = (await sending.end()).map(({ number }) => number)
    // Every message of the kept session is handled, and none twice; where nothing subscribes, none comes.
    const isTold = way !== 'beside'
    const told = isTold ? sent : []
    const numbers = async () => (await handled(one)).slice(earlier).toSorted((a, b) => a - b)
    await until(numbers, (all) => all.length >= told.length, patience)
    expect(await numbers()).toEqual(told)
    expect(await times(next)).toBe(isTold ? 1 : 0)
    // Flows that were stopped for the new ones may have been started again by the server that came back.
    expect(await times(label)).toBeLessThanOrEqual(begun + 1)
    scene.label = next
    await victim.end('SIGTERM')
  })
})
