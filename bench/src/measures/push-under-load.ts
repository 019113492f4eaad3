import type { Client } from '@app/client'
import { pingFlow } from '../data.ts'
import { withInstances } from '../instances.ts'
import type { Measure } from '../measure.ts'
import { type Paced, pace } from '../pace.ts'
import { deployed, fill, type Nodes, pipeline, type Way } from '../pushes.ts'
import type { Row } from '../report.ts'
import { withTwoProcesses } from '../two-processes.ts'

type Named = { id: string; name: string }
type Result = Awaited<ReturnType<Paced['stop']>>

/** The same, with a note that is another each time. */
const good = (round: number): Nodes => [
  ...pingFlow,
  { id: 'note', z: 'a1', type: 'comment', name: `round ${round}`, x: 0, y: 0 },
]
const perSecond = 200
/** Each is answered within 20 ms. */
const inHand = 4
const ending = "Promise.reject(new Error('bad push'))"
/** Ends its process when its flows start. They only answer HTTP, so the version before serves beside it. */
const bad = (round: number): Nodes => [
  ...good(round),
  { id: 'fn', z: 'a1', type: 'function', initialize: ending, func: '', outputs: 1, wires: [[]] },
]
/** Acts by itself, so it takes over, and then ends its process. */
const late = (round: number): Nodes => [
  ...good(round),
  { id: 'once', z: 'a1', type: 'inject', props: [], once: true, onceDelay: 0.5, repeat: '', wires: [['fn']] },
  { id: 'fn', z: 'a1', type: 'function', func: ending, outputs: 1, wires: [[]] },
]

/** The requests lost, of 200 a second, during good and bad deployments. */
export const pushUnderLoad: Measure = (context) =>
  withInstances(
    context,
    1,
    async (server, cookie) => {
      const client = server.client(cookie)
      const [{ id, name }, source] = context.data.instances as [Named, Named]
      const rounds = context.quick ? 1 : 5
      const rows: Row[] = []

      async function measure(what: string, ask: Way): Promise<void> {
        for (const [kind, nodes, outcome] of [
          ['good', good, 'done'],
          ['bad', bad, 'failed'],
          ['late bad', late, 'failed'],
        ] as const) {
          const results: Result[] = []
          let stillMs = 0
          for (let round = 0; round < rounds; round++) {
            const traffic = pace(server.port, `${name.toLowerCase()}.localhost:${server.port}`, '/ping', perSecond)
            await ask(nodes(round))
            const { takeover } = await deployed(client, id, outcome)
            stillMs += takeover?.gapMs ?? 0
            results.push(await traffic.stop())
          }
          const row = rowOf(`${kind} ${what}`, results)
          const value = kind === 'late bad' ? mayLose(stillMs, rounds) : 0
          const note = value === 0 ? row.note : `${row.note}; no flows acted for ${stillMs} ms`
          rows.push({ ...row, note, target: { is: 'at most', value } })
        }
      }
      await measure('rollback', rollback(client, id))
      const push = await pipeline(client, context.data.applicationId, source, { id, name })
      await measure('push', push)
      await withTwoProcesses(client, id, () => measure('push to two processes', push))
      // Later measures start the source as well.
      await fill(client, source.id, good(0))
      return rows
    },
    { FORGE_STEADY_SECONDS: '2' },
  )

/**
 * The requests that a version which takes over and then ends may lose: those of the gap, as the platform counts it, and
 * in each round those that its process has in hand. Of two processes the other answers, and no gap is counted.
 */
const mayLose = (stillMs: number, rounds: number) =>
  stillMs === 0 ? 0 : Math.ceil((stillMs / 1_000) * perSecond) + inHand * rounds

function rollback(client: Client, instanceId: string): Way {
  const params = { instanceId }
  return async (flows) => {
    const { id: snapshot } = await client.call('snapshot.create', { params, body: { name: 'Under load', flows } })
    await client.call('deployment.rollback', { params, body: { snapshot } })
  }
}

function rowOf(what: string, results: Result[]): Row {
  const sum = (of: (one: Result) => number) => results.reduce((total, one) => total + of(one), 0)
  const why = [...new Set(results.flatMap((one) => one.why))].join(', ')
  return {
    name: `${what} under load: requests lost`,
    value: sum(({ lost }) => lost),
    unit: '',
    measured: 'GET /ping through the proxy, 200 a second, from before it was asked for until it has ended',
    data: `Node-RED 5.0.7, ${results.length} times, each steady for 2 s before it takes over`,
    note: `of ${sum(({ sent }) => sent)} sent${why ? `: ${why}` : ''}`,
  }
}
