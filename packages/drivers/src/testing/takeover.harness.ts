import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Hold } from '../driver.ts'
import { openLocal, runs } from './local.harness.ts'
import { until } from './until.ts'

/** The lines that flows have written: which version handled what. */
export type Lines = [version: string, text: string][]

export interface Session {
  qos: 0 | 1 | 2
  /** Absent: the client makes one up. */
  clientId?: string
  /** Does the broker keep the session while nobody is connected? */
  keeps?: boolean
}

export const tab = { id: 'tab', type: 'tab', label: 'Flow' }
const http = [
  { id: 'in', z: 'tab', type: 'http in', url: '/version', method: 'get', wires: [['say']] },
  { id: 'say', z: 'tab', type: 'template', template: '{{{v}}}', wires: [['out']] },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]
export const writer = (version: string) => [
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

/** Flows that write down what they were told, each line with their version, the session and the number. */
export const mqttFlow = (version: string, port: number, sessions: Record<string, Session>) => [
  tab,
  ...http,
  ...Object.entries(sessions).flatMap(([name, { qos, clientId = '', keeps = false }]) => [
    {
      id: `broker-${name}`,
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
      id: `mqtt-${name}`,
      z: 'tab',
      type: 'mqtt in',
      topic: `bread/${name}`,
      qos: String(qos),
      datatype: 'utf8',
      broker: `broker-${name}`,
      inputs: 0,
      wires: [['name']],
    },
  ]),
  {
    id: 'name',
    z: 'tab',
    type: 'function',
    func: "msg.payload = msg.topic.split('/')[1] + '-' + msg.payload; return msg",
    outputs: 1,
    wires: [['mark']],
  },
  ...writer(version),
]

export const tcpFlow = (version: string, port: number) => [
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
export const drawn = (flows: object[]) => flows.map((node) => ('z' in node ? { x: 100, y: 100, ...node } : node))

/** An instance whose flows change, and what they have written down. */
export async function begin(version: string) {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const one = local.spec(version)
  const { id } = one
  const pair = local.driver.pair!
  const handled = async () =>
    (await readFile(join(local.home, 'instances', id, 'user', 'handled.txt'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ') as Lines[number])
  /** Stops the flows that serve, and starts the others with their inputs closed, if they are not yet. */
  async function halfWay(): Promise<number> {
    const since = await pair.pause(id, pair.serving(id)[0]!.slot)
    await pair.startHeld(id)
    return since
  }
  return {
    ...local,
    one,
    id,
    pair,
    handled,
    async run(flows: object[]) {
      local.putFlows(id, drawn(flows))
      await local.driver.start(one)
      await runs(local.driver, id)
    },
    /** Starts other flows beside, and waits until they run on trial. */
    async tryBeside(flows: object[], hold: Hold) {
      local.putFlows(id, drawn(flows))
      await pair.startCandidate(one, hold)
      await until('the one on trial runs', async () => (await pair.trial(id)).state === 'running')
    },
    halfWay,
    async takeOver() {
      const since = await halfWay()
      const old = (await pair.takeOver(id))!
      const released = await pair.release(id, old === 0 ? 1 : 0, since)
      return { old, gap: released.at - since, ...released }
    },
  }
}

export const seen = (lines: Lines, version: string) => lines.filter(([of]) => of === version).length
export const twice = (lines: Lines) => lines.length - new Set(lines.map(([, text]) => text)).size
