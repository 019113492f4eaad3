import type { Client } from '@app/client'
import { until } from '@app/server/testing'
import { freePort, isListening, startMosquitto } from '@app/drivers/testing/mosquitto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pingFlow } from '../data.ts'
import { median } from '../figures.ts'
import { withInstances } from '../instances.ts'
import type { Measure } from '../measure.ts'
import type { Row } from '../report.ts'
import { deployed } from './push-under-load.ts'

type Qos = 0 | 1 | 2
interface Session {
  name: string
  qos: Qos
  clientId: string
  keeps: boolean
}
interface Handled {
  version: string
  number: number
  at: number
}
/** What came of some pushes. */
interface Counts {
  sent: number
  twice: number
  lost: number
  byRefused: number
  gaps: number[]
}

const nodered = '5.0.7'
const perSecond = 50
const sessions: Session[] = [
  { name: 'QoS 0, no client ID', qos: 0, clientId: '', keeps: false },
  { name: 'QoS 1, no client ID', qos: 1, clientId: '', keeps: false },
  { name: 'QoS 1, client ID', qos: 1, clientId: 'oven', keeps: false },
  { name: 'QoS 1, kept session', qos: 1, clientId: 'oven', keeps: true },
  { name: 'QoS 2, kept session', qos: 2, clientId: 'oven', keeps: true },
]
const place = { z: 'a1', x: 100, y: 100 }

/** Writes down each message with the version that handles it. A version that is to be refused answers no ping. */
function flowsOf(version: string, port: number, { qos, clientId, keeps }: Session): object[] {
  const tab = { id: 'a1', type: 'tab', label: 'Oven' }
  const func = `msg.payload = '${version} ' + msg.payload + ' ' + Date.now(); return msg`
  return [
    ...(version.startsWith('bad') ? [tab] : pingFlow),
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
      ...place,
      id: 'in',
      type: 'mqtt in',
      topic: 'bread',
      qos: String(qos),
      datatype: 'utf8',
      broker: 'broker',
      wires: [['fn']],
    },
    { ...place, id: 'fn', type: 'function', func, outputs: 1, wires: [['file']] },
    {
      ...place,
      id: 'file',
      type: 'file',
      filename: 'handled.txt',
      filenameType: 'str',
      appendNewline: true,
      overwriteFile: 'false',
      wires: [[]],
    },
  ]
}

function listener(version: string, port: number): object[] {
  const tcp = {
    ...place,
    id: 'tcp',
    type: 'tcp in',
    server: 'server',
    port: String(port),
    datamode: 'stream',
    datatype: 'utf8',
  }
  return [...pingFlow, { ...tcp, name: version, newline: '', wires: [[]] }]
}

/** What becomes of MQTT messages, and of a TCP listener, while new flows come into an instance, good ones and bad ones. */
export const pushMessages: Measure = (context) =>
  withInstances(
    context,
    1,
    async (server, cookie) => {
      const client = server.client(cookie)
      const { id } = context.data.instances[0]!
      const rounds = context.quick ? 1 : 4
      const rows: Row[] = []
      const file = join(context.home, 'instances', id, 'user', 'handled.txt')
      const healthCheck = { path: '/ping', status: 200, seconds: 1 }
      await client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
      for (const takeover of ['held', 'stop-first'] as const) {
        await client.call('instance.update', { params: { instanceId: id }, body: { takeover } })
        for (const session of sessions) {
          const counts = await messages(client, { id, file, session, rounds, home: context.home })
          rows.push(...rowsOf(`${takeover}, ${session.name}`, takeover, session, counts, rounds))
        }
        rows.push(await listening(client, id, takeover, context.quick ? 2 : 20))
      }
      await client.call('instance.update', {
        params: { instanceId: id },
        body: { takeover: 'auto', healthCheck: null },
      })
      await put(client, id, pingFlow, 'done')
      return rows
    },
    { FORGE_STEADY_SECONDS: '2' },
  )

interface Run {
  id: string
  file: string
  session: Session
  rounds: number
  home: string
}

async function messages(client: Client, { id, file, session, rounds, home }: Run): Promise<Counts> {
  const mosquitto = await startMosquitto(join(home, 'stacks', nodered))
  try {
    await put(client, id, flowsOf('good-first', mosquitto.port, session), 'done')
    rmSync(file, { force: true })
    const publishing = mosquitto.publish('bread', session.qos, perSecond)
    const first = await until(
      async () => read(file),
      (lines) => lines.length > 0,
      60_000,
    )
    for (let round = 0; round < rounds; round++) {
      await put(client, id, flowsOf(`bad-${round}`, mosquitto.port, session), 'failed')
      await put(client, id, flowsOf(`good-${round}`, mosquitto.port, session), 'done')
    }
    const sent = (await publishing.end()).length
    // The last may have fallen into no gap, so it arrives, or it was of no interest to anybody.
    await delay(1_000)
    const lines = read(file).filter(({ number }) => number >= first[0]!.number)
    return countsOf(lines, sent - first[0]!.number)
  } finally {
    await mosquitto.close()
  }
}

function countsOf(lines: readonly Handled[], sent: number): Counts {
  const numbers = new Set(lines.map(({ number }) => number))
  const changes = lines.flatMap((line, at) => {
    const before = lines[at - 1]
    return before && before.version !== line.version ? line.at - before.at : []
  })
  return {
    sent,
    twice: lines.length - numbers.size,
    lost: sent - numbers.size,
    byRefused: lines.filter(({ version }) => version.startsWith('bad')).length,
    gaps: changes,
  }
}

async function listening(client: Client, id: string, way: string, pushes: number): Promise<Row> {
  const port = await freePort()
  let open = 0
  for (let round = 0; round < pushes; round++) {
    await put(client, id, listener(String(round), port), 'done')
    if (await isListening(port)) open += 1
  }
  return {
    name: `${way}: TCP listener open after a push`,
    value: pushes - open,
    unit: 'times not',
    target: { is: 'at most', value: 0 },
    measured: 'a connection to the port of a tcp in, after each push',
    data: `Node-RED ${nodered}, ${pushes} pushes`,
  }
}

async function put(client: Client, instanceId: string, flows: object[], outcome: 'done' | 'failed'): Promise<void> {
  await client.call('instance.import', { params: { instanceId }, body: { flows: JSON.stringify(flows) } })
  await deployed(client, instanceId, outcome)
}

function read(file: string): Handled[] {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([version = '', number, at]) => ({ version, number: Number(number), at: Number(at) }))
  } catch {
    return []
  }
}

function rowsOf(name: string, way: string, { keeps, qos }: Session, counts: Counts, rounds: number): Row[] {
  const measured = `${perSecond} messages a second from Mosquitto, over all pushes`
  const data = `Node-RED ${nodered}, ${rounds} good and ${rounds} bad pushes, each steady for 2 s`
  const row = (what: string, value: number, unit: string, most?: number): Row => ({
    name: `${name}: ${what}`,
    value,
    unit,
    ...(most === undefined ? {} : { target: { is: 'at most' as const, value: most } }),
    measured,
    data,
    note: `of ${counts.sent} sent`,
  })
  return [
    row('handled twice', counts.twice, '', 0),
    // A version that stops the other first acts until it is refused.
    row('handled by a refused version', counts.byRefused, '', way === 'held' ? 0 : undefined),
    row('lost', counts.lost, '', keeps && qos > 0 ? 0 : undefined),
    row('gap', counts.gaps.length === 0 ? 0 : median(counts.gaps), 'ms', way === 'held' ? 150 : 1_500),
  ]
}
