import { until } from '@app/server/testing'
import { percentile } from '../figures.ts'
import { load } from '../load.ts'
import { type Measure, withServer } from '../measure.ts'

/** Is the console usable while many instances are made at once? */
export const createMany: Measure = (context) =>
  withServer(context, async (server, cookie) => {
    const client = server.client(cookie)
    const { applicationId, choice } = context.data
    const count = context.quick ? 3 : 50
    const made = Promise.all(
      Array.from({ length: count }, (_, i) =>
        client.call('instance.create', { body: { name: `made-${i}`, applicationId, ...choice } }),
      ),
    )
    const running = made.then((all) =>
      until(
        () => Promise.all(all.map(({ id }) => client.call('instance.get', { params: { instanceId: id } }))),
        (answers) => answers.every(({ meta }) => meta.state === 'running'),
        600_000,
      ),
    )
    const { latencies } = await load(
      { url: `${server.address}/api/v1/user/`, connections: 1, overallRate: 50, duration: 600, headers: { cookie } },
      running,
    )
    for (const { id } of await running) await client.call('instance.delete', { params: { instanceId: id } })
    return [
      {
        name: `GET user while ${count} are created, p99`,
        value: percentile(latencies, 0.99),
        unit: 'ms',
        target: { is: 'below', value: 100 },
        measured: 'GET /api/v1/user/ 50 times a second until the last instance runs',
        data: `${count} instances of Node-RED 5.0.7 created at once`,
        note: `p50 ${percentile(latencies, 0.5).toPrecision(3)}, ${latencies.length} requests`,
      },
    ]
  })
