import type { Client } from '@app/client'
import { until } from '@app/server/testing'
import { freePort, isListening, startMosquitto } from '@app/drivers/testing/mosquitto'
import { readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pingFlow } from '../data.ts'
import { median, percentile } from '../figures.ts'
import { withInstances } from '../instances.ts'
import type { Measure } from '../measure.ts'
import { pace } from '../pace.ts'
import type { Row } from '../report.ts'
import { flowsOf, nodered, type Session, sessions, tcpFlow } from './push-messages.flows.ts'
import { deployed } from './push-under-load.ts'

/** One version's record of one message. */
interface Handled {
  version: string
  session: string
  number: number
  at: number
}
interface Run {
  client: Client
  id: string
  rounds: number
}

const perSecond = 50
const probeMs = 10

/** The fate of messages, listeners and requests during good and bad deployments. */
export const pushMessages: Measure = (context) =>
  withInstances(
    context,
    1,
    async (server, cookie) => {
      const client = server.client(cookie)
      const { id, name } = context.data.instances[0]!
      const run: Run = { client, id, rounds: context.quick ? 2 : 20 }
      const rows: Row[] = []
      const file = join(context.home, 'instances', id, 'user', 'handled.txt')
      const set = async (body: object) => client.call('instance.update', { params: { instanceId: id }, body })
      await set({ healthCheck: { path: '/ping', status: 200, seconds: 1 } })
      for (const takeover of ['held', 'stop-first'] as const) {
        await set({ takeover })
        const ask = () => pace(server.port, `${name.toLowerCase()}.localhost:${server.port}`, '/ping')
        rows.push(...(await messages(run, { takeover, file, home: context.home, ask })))
        rows.push(...(await listening(run, takeover)))
      }
      await set({ takeover: 'auto', healthCheck: null })
      rows.push(await judging(run, server.port, name))
      await put(run, pingFlow, 'done')
      return rows
    },
    { FORGE_STEADY_SECONDS: '2' },
  )

interface Given {
  takeover: 'held' | 'stop-first'
  file: string
  home: string
  ask(): ReturnType<typeof pace>
}

/** All kinds of sessions at once, each with its own messages, and requests besides. */
async function messages(run: Run, { takeover, file, home, ask }: Given): Promise<Row[]> {
  const mosquitto = await startMosquitto(join(home, 'stacks', nodered))
  try {
    await put(run, flowsOf('good-first', mosquitto.port), 'done')
    rmSync(file, { force: true })
    const sending = sessions.map(({ name, qos }) => mosquitto.publish(`bread/${name}`, qos, perSecond))
    await until(
      async () => new Set(read(file).map(({ session }) => session)).size,
      (count) => count === sessions.length,
      60_000,
    )
    const from = new Map(
      read(file)
        .toReversed()
        .map((line) => [line.session, line.number]),
    )
    let still = 0
    const asking: Awaited<ReturnType<ReturnType<typeof pace>['stop']>>[] = []
    for (let round = 0; round < run.rounds; round++) {
      still += await put(run, flowsOf(`bad-${round}`, mosquitto.port), 'failed')
      const requests = ask()
      still += await put(run, flowsOf(`good-${round}`, mosquitto.port), 'done')
      asking.push(await requests.stop())
    }
    const sent = await Promise.all(sending.map(async (one) => (await one.end()).length))
    // The last messages either arrive by now, or never.
    await delay(1_000)
    const lines = read(file)
    const rows = sessions.flatMap((session, at) => {
      const first = from.get(session.name)!
      const own = lines.filter((line) => line.session === session.name && line.number >= first)
      return rowsOf(takeover, session, { lines: own, sent: sent[at]! - first, still, rounds: run.rounds })
    })
    const lost = asking.reduce((total, one) => total + one.lost, 0)
    return [
      ...rows,
      {
        name: `${takeover}: requests lost at 200 a second`,
        value: lost,
        unit: '',
        // Nothing answers in the gap of what stops the flows first.
        ...(takeover === 'held' ? { target: { is: 'at most' as const, value: 0 } } : {}),
        measured: 'GET /ping of the same flows through the proxy, over the good pushes',
        data: dataOf(run.rounds),
        note: `of ${asking.reduce((total, one) => total + one.sent, 0)} sent`,
      },
    ]
  } finally {
    await mosquitto.close()
  }
}

const dataOf = (rounds: number) =>
  `Node-RED ${nodered}, ${rounds} good and ${rounds} bad pushes, each steady for 2 s, ${sessions.length} MQTT sessions at once`

interface Counted {
  lines: readonly Handled[]
  sent: number
  /** Milliseconds in which no flows acted, over all pushes. */
  still: number
  rounds: number
}

function rowsOf(way: string, { words, keeps, qos }: Session, { lines, sent, still, rounds }: Counted): Row[] {
  const handled = new Set(lines.map(({ number }) => number))
  const gaps = lines.flatMap((line, at) => {
    const before = lines[at - 1]
    return before && before.version !== line.version ? line.at - before.at : []
  })
  const isSafe = keeps && qos > 0
  // At most the messages of the gap, as the platform counts it, and one at each end of a gap.
  const mayLose = Math.ceil((still / 1_000) * perSecond) + 4 * rounds
  const row = (what: string, value: number, unit: string, most: number, note = `of ${sent} sent`): Row => ({
    name: `${way}, ${words}: ${what}`,
    value,
    unit,
    target: { is: 'at most', value: most },
    measured: `${perSecond} messages a second from Mosquitto, over all pushes`,
    data: dataOf(rounds),
    note,
  })
  const lost = sent - handled.size
  const spread = `${Math.min(...gaps)} to ${Math.max(...gaps)} ms in ${gaps.length} changes, 95th percentile ${percentile(gaps, 0.95)} ms`
  return [
    row('handled twice', lines.length - handled.size, '', 0),
    row('handled by a refused version', lines.filter(({ version }) => version.startsWith('bad')).length, '', 0),
    row('lost', lost, '', isSafe ? 0 : mayLose, `of ${sent} sent; no flows acted for ${still} ms`),
    row('gap', median(gaps), 'ms', way === 'held' ? 150 : 1_500, spread),
  ]
}

/** Connects to a TCP listener over and over; what is refused must fit into the gaps. */
async function listening(run: Run, way: string): Promise<Row[]> {
  const port = await freePort()
  await put(run, tcpFlow('first', port), 'done')
  let [open, beyond, refused, asked] = [0, 0, 0, 0]
  for (let round = 0; round < run.rounds; round++) {
    let isOver = false
    const probing = (async () => {
      let count = 0
      while (!isOver) {
        asked += 1
        if (!(await isListening(port))) count += 1
        await delay(probeMs)
      }
      return count
    })()
    const still = await put(run, tcpFlow(String(round), port), 'done')
    isOver = true
    const count = await probing
    refused += count
    // One connection at each end of the gap may be under way.
    beyond += Math.max(0, count - Math.ceil(still / probeMs) - 2)
    if (await isListening(port)) open += 1
  }
  const shared = { unit: '', measured: `a connection to the port of a tcp in every ${probeMs} ms` }
  const data = `Node-RED ${nodered}, ${run.rounds} pushes`
  return [
    {
      ...shared,
      data,
      name: `${way}: pushes after which a TCP listener is closed`,
      value: run.rounds - open,
      target: { is: 'at most', value: 0 },
    },
    {
      ...shared,
      data,
      name: `${way}: refused TCP connections beyond the gap`,
      value: beyond,
      target: { is: 'at most', value: 0 },
      note: `${refused} of ${asked} were refused`,
    },
  ]
}

/** The time from the start of a new version of 310 nodes to its first answer, beside the time that it must stay up. */
async function judging(run: Run, serverPort: number, name: string): Promise<Row> {
  const times: number[] = []
  await put(run, pingFlow, 'done')
  for (let round = 0; round < Math.min(5, run.rounds); round++) {
    const many = Array.from({ length: 300 }, (_, at) => ({
      id: `n${at}`,
      type: 'debug',
      z: 'a1',
      x: 9,
      y: 9,
      wires: [],
    }))
    const flows = [
      ...pingFlow.map((node) => ('template' in node ? { ...node, template: `round ${round}` } : node)),
      ...many,
    ]
    let served: number | undefined
    const watching = (async () => {
      while (served === undefined) {
        if ((await answerOf(serverPort, name)) === `round ${round}`) served = Date.now()
        else await delay(5)
      }
    })()
    await put(run, flows, 'done')
    await watching
    const { meta } = await run.client.call('instance.get', { params: { instanceId: run.id } })
    times.push(served! - Date.parse(meta.lastStartTime!) - 2_000)
  }
  return {
    name: 'judging a good push of 310 nodes, beside the steady time',
    value: median(times) / 1_000,
    unit: 's',
    target: { is: 'at most', value: 0.3 },
    measured:
      'from the start of the flows of the new version to its first answer through the proxy, less the steady time',
    data: `Node-RED ${nodered}, ${times.length} pushes side by side, steady for 2 s`,
    note: `${Math.min(...times)} to ${Math.max(...times)} ms`,
  }
}

function answerOf(port: number, name: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { host: `${name.toLowerCase()}.localhost:${port}` }
    get({ host: '127.0.0.1', port, path: '/ping', headers, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve(text))
    }).on('error', () => resolve(''))
  })
}

/** Returns for how many milliseconds no flows acted. */
async function put({ client, id }: Run, flows: object[], outcome: 'done' | 'failed'): Promise<number> {
  const params = { instanceId: id }
  await client.call('instance.import', { params, body: { flows: JSON.stringify(flows) } })
  await deployed(client, id, outcome)
  const { deployments } = await client.call('deployment.list', { params, query: { limit: 1 } })
  return deployments[0]?.takeover?.gapMs ?? 0
}

function read(file: string): Handled[] {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([version = '', session = '', number, at]) => ({ version, session, number: Number(number), at: Number(at) }))
  } catch {
    return []
  }
}
