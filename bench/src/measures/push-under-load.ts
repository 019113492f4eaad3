import { until } from '@app/server/testing'
import type { Measure } from '../measure.ts'
import { withInstances } from '../instances.ts'
import { pace } from '../pace.ts'
import type { Row } from '../report.ts'

/** Runs for a moment and then ends its process. */
const bad = [
  { id: 'tab', type: 'tab', label: 'Bad' },
  { id: 'once', z: 'tab', type: 'inject', props: [], once: true, onceDelay: 0.5, repeat: '', wires: [['fn']] },
  { id: 'fn', z: 'tab', type: 'function', func: "Promise.reject(new Error('bad push'))", outputs: 1, wires: [[]] },
]

/** What is lost of 200 requests a second while new flows are put into an instance, good ones and bad ones. */
export const pushUnderLoad: Measure = (context) =>
  withInstances(
    context,
    1,
    async (server, cookie) => {
      const client = server.client(cookie)
      const { id, name } = context.data.instances[0]!
      const params = { instanceId: id }
      const host = `${name.toLowerCase()}.localhost:${server.port}`
      const rounds = context.quick ? 2 : 5

      async function push(flows: Record<string, unknown>[] | undefined, outcome: 'done' | 'failed') {
        const body = { name: outcome, ...(flows ? { flows } : {}) }
        const { id: snapshot } = await client.call('snapshot.create', { params, body })
        const traffic = pace(server.port, host, '/ping')
        await client.call('deployment.rollback', { params, body: { snapshot } })
        const { jobs } = await until(
          () => client.call('instance.jobs', { params }),
          ({ jobs: [job] }) => job?.state === 'done' || job?.state === 'failed',
          120_000,
        )
        const result = await traffic.stop()
        if (jobs[0]?.state !== outcome) throw new Error(`The push was ${jobs[0]?.state}: ${jobs[0]?.error}`)
        await client.call('snapshot.delete', { params: { ...params, snapshotId: snapshot } })
        return result
      }

      const rows: Row[] = []
      for (const [kind, flows, outcome] of [
        ['good', undefined, 'done'],
        ['bad', bad, 'failed'],
      ] as const) {
        const results: Awaited<ReturnType<typeof push>>[] = []
        for (let round = 0; round < rounds; round++) results.push(await push(flows ? [...flows] : undefined, outcome))
        const sum = (of: (one: (typeof results)[number]) => number) =>
          results.reduce((total, one) => total + of(one), 0)
        const why = [...new Set(results.flatMap((one) => one.why))].join(', ')
        rows.push({
          name: `${kind} push under load: requests lost`,
          value: sum(({ lost }) => lost),
          unit: '',
          target: { is: 'at most', value: 0 },
          measured: 'GET /ping through the proxy, 200 a second, from before the push until it has ended',
          data: `Node-RED 5.0.7, ${rounds} pushes, each steady for 2 s before it takes over`,
          note: `of ${sum(({ sent }) => sent)} sent${why ? `: ${why}` : ''}`,
        })
      }
      return rows
    },
    { FORGE_STEADY_SECONDS: '2' },
  )
