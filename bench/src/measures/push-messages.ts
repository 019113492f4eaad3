import type { Client } from '@app/client'
import { until } from '@app/server/testing'
import { freePort, isListening, startMosquitto } from '@app/drivers/testing/mosquitto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pingFlow } from '../data.ts'
import { median, percentile } from '../figures.ts'
import { withInstances } from '../instances.ts'
import type { Measure } from '../measure.ts'
import { pace } from '../pace.ts'
import { deployed, type Nodes, pipeline, type Way } from '../pushes.ts'
import type { Row } from '../report.ts'
import { flowsOf, nodered, type Session, sessions, tcpFlow } from './push-messages.flows.ts'
import { judging } from './push-messages.judging.ts'

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
  /** Pushes to it from the stage before. */
  push: Way
  rounds: number
}

type Named = { id: string; name: string }

const perSecond = 50
const steadySeconds = 2
const probeMs = 10

/** The fate of messages, listeners and requests during good and bad pushes, and the time that judging takes. */
export const pushMessages: Measure = (context) =>
  withInstances(
    context,
    1,
    async (server, cookie) => {
      const client = server.client(cookie)
      const [target, source] = context.data.instances as [Named, Named]
      const { id, name } = target
      const push = await pipeline(client, context.data.applicationId, source, target)
      const run: Run = { client, id, push, rounds: context.quick ? 2 : 20 }
      const rows: Row[] = []
      const file = join(context.home, 'instances', id, 'user', 'handled.txt')
      const set = async (body: object) => client.call('instance.update', { params: { instanceId: id }, body })
      const host = `${name.toLowerCase()}.localhost:${server.port}`
      await set({ healthCheck: { path: '/ping', status: 200, seconds: 1 } })
      for (const takeover of ['held', 'stop-first'] as const) {
        await set({ takeover })
        const ask = () => pace(server.port, host, '/ping')
        rows.push(...(await messages(run, { takeover, file, home: context.home, ask })))
        rows.push(...(await listening(run, takeover)))
      }
      for (const takeover of ['beside', 'held', 'stop-first'] as const) {
        await set({ takeover })
        rows.push(await judging(run, { takeover, home: context.home, steadyMs: steadySeconds * 1_000 }))
      }
      await set({ takeover: 'auto', healthCheck: null })
      await put(run, pingFlow, 'done')
      return rows
    },
    { FORGE_STEADY_SECONDS: String(steadySeconds) },
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
        // Requests wait in the gap of *stop first*.
        target: { is: 'at most', value: 0 },
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
  `Node-RED ${nodered}, ${rounds} good and ${rounds} bad pushes, each steady for ${steadySeconds} s, ${sessions.length} MQTT sessions at once`

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
  // A refused version stops nothing when its inputs were held.
  const gapsCounted = way === 'held' ? rounds : 2 * rounds
  // At most the messages of the gap, as the platform counts it, one at each end, and one until the subscription is taken.
  const mayLose = Math.ceil((still / 1_000) * perSecond) + 3 * gapsCounted
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
  // One for each good push, unless what was lost around it hides it.
  const spread = `median ${median(gaps)} ms, longest ${Math.max(...gaps)} ms, of ${gaps.length} changes of version`
  return [
    row('handled twice', lines.length - handled.size, '', 0),
    row('handled by a refused version', lines.filter(({ version }) => version.startsWith('bad')).length, '', 0),
    row('lost', lost, '', isSafe ? 0 : mayLose, `of ${sent} sent; no flows acted for ${still} ms`),
    row('gap, p95', percentile(gaps, 0.95), 'ms', way === 'held' ? 150 : 1_500, spread),
  ]
}

/** Connects to a TCP listener over and over; what is refused must fit into the gaps. */
async function listening(run: Run, way: string): Promise<Row[]> {
  const port = await freePort()
  await put(run, tcpFlow('first', port), 'done')
  let [closed, beyond, refused, asked] = [0, 0, 0, 0]
  for (let round = 0; round < run.rounds; round++)
    for (const [kind, outcome] of [
      ['bad', 'failed'],
      ['good', 'done'],
    ] as const) {
      const probing = probe(port)
      const still = await put(run, tcpFlow(`${kind}-${round}`, port), outcome)
      const found = await probing.end()
      refused += found.refused
      asked += found.asked
      // One connection at each end of the gap may be under way.
      beyond += Math.max(0, found.refused - Math.ceil(still / probeMs) - 2)
      if (!(await isListening(port))) closed += 1
    }
  const shared = {
    unit: '',
    target: { is: 'at most', value: 0 },
    measured: `a connection to the port of a tcp in every ${probeMs} ms`,
    data: `Node-RED ${nodered}, ${run.rounds} good and ${run.rounds} bad pushes`,
  } as const
  return [
    { ...shared, name: `${way}: pushes after which a TCP listener is closed`, value: closed },
    {
      ...shared,
      name: `${way}: refused TCP connections beyond the gap`,
      value: beyond,
      note: `${refused} of ${asked} were refused`,
    },
  ]
}

/** Connects to a port over and over, until told to end. */
function probe(port: number) {
  let isOver = false
  const done = (async () => {
    const found = { asked: 0, refused: 0 }
    while (!isOver) {
      found.asked += 1
      if (!(await isListening(port))) found.refused += 1
      await delay(probeMs)
    }
    return found
  })()
  return {
    end: async () => {
      isOver = true
      return done
    },
  }
}

/** Returns for how many milliseconds no flows acted. */
async function put({ client, id, push }: Run, flows: Nodes, outcome: 'done' | 'failed'): Promise<number> {
  await push(flows)
  const { takeover } = await deployed(client, id, outcome)
  return takeover?.gapMs ?? 0
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
