import { until } from '@app/server/testing'
import { percentile } from '../figures.ts'
import { load } from '../load.ts'
import { type Measure, withServer } from '../measure.ts'

/** Is the console usable while as many instances start as there are? */
export const instanceMany: Measure = (context) =>
  withServer(
    context,
    async (server, cookie) => {
      const client = server.client(cookie)
      const { instances } = context.data
      const all = (action: 'start' | 'suspend') =>
        Promise.all(instances.map(({ id }) => client.call(`instance.${action}`, { params: { instanceId: id } })))
      const settled = (state: string) =>
        until(
          () => Promise.all(instances.map(({ id }) => client.call('instance.get', { params: { instanceId: id } }))),
          (answers) => answers.every(({ meta }) => meta.state === state),
          300_000,
        )
      const began = performance.now()
      await all('start')
      const running = settled('running')
      const { latencies } = await load(
        { url: `${server.address}/api/v1/user`, connections: 1, overallRate: 50, duration: 600, headers: { cookie } },
        running,
      )
      await running
      const took = (performance.now() - began) / 1000
      await all('suspend')
      await settled('suspended')
      const data = `${instances.length} instances of Node-RED 5.0.7 asked for at once, no warm process`
      return [
        {
          name: 'GET /user while many start, p99',
          value: percentile(latencies, 0.99),
          unit: 'ms',
          measured: '50 requests a second until the last instance runs',
          data,
          note: `p50 ${percentile(latencies, 0.5).toPrecision(3)}, ${latencies.length} requests`,
        },
        {
          name: 'start of many',
          value: took,
          unit: 's',
          measured: 'from the first request until the last one runs',
          data,
        },
      ]
    },
    { FORGE_WARM_PROCESSES: '0' },
  )
