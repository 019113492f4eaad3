import { until } from '@app/server/testing'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, percentile, spread } from '../figures.ts'
import { load } from '../load.ts'
import { type Measure, withServer } from '../measure.ts'
import { availableMb, cpuMsOf, pidOf, pssMbOf } from '../processes.ts'
import type { Row } from '../report.ts'

/** As many instances as there are, asked for at once: what do they cost, and is the console usable meanwhile? */
export const instanceMany: Measure = (context) =>
  withServer(
    context,
    async (server, cookie) => {
      const client = server.client(cookie)
      const { instances } = context.data
      const all = (action: 'start' | 'suspend') =>
        Promise.all(instances.map(({ id }) => client.call(`instance.${action}`, { params: { instanceId: id } })))
      const ranAfter: number[] = []
      const isIn = async (state: string, id: string) =>
        (await client.call('instance.get', { params: { instanceId: id } })).meta.state === state
      const settled = (state: string) =>
        Promise.all(
          instances.map(async ({ id }, n) => {
            await until(() => isIn(state, id), Boolean, 900_000)
            ranAfter[n] ??= (performance.now() - began) / 1000
          }),
        )
      const before = availableMb()
      const began = performance.now()
      await all('start')
      const running = settled('running')
      const { latencies } = await load(
        { url: `${server.address}/api/v1/user`, connections: 1, overallRate: 50, duration: 900, headers: { cookie } },
        running,
      )
      await running
      const pids = instances.map(({ id }) => pidOf(context.home, id))
      const cpu = pids.map((pid) => cpuMsOf(pid) / 1000)
      // The garbage of the start is collected after five seconds.
      await sleep(context.quick ? 0 : 15_000)
      const taken = (before - availableMb()) / instances.length
      const pss = pids.map(pssMbOf)
      await all('suspend')
      await settled('suspended')
      const data = `${instances.length} instances of Node-RED 5.0.7 asked for at once, no warm process`
      return [
        {
          name: `GET user while ${instances.length} start, p99`,
          value: percentile(latencies, 0.99),
          unit: 'ms',
          measured: '50 requests a second until the last instance runs',
          data,
          note: `p50 ${percentile(latencies, 0.5).toPrecision(3)}, ${latencies.length} requests`,
        },
        {
          name: `start of ${instances.length} asked for at once`,
          value: Math.max(...ranAfter),
          unit: 's',
          measured: 'from the first request until the last one runs',
          data,
          note: `half of them run after ${median(ranAfter).toFixed(1)} s`,
        },
        {
          name: `CPU a start, ${instances.length} asked for at once`,
          value: median(cpu),
          unit: 's CPU',
          target: { is: 'at most', value: 0.5 },
          measured: 'CPU of the process of an instance when the last one runs',
          data,
          note: spread(cpu),
        },
        {
          name: `memory an instance, ${instances.length} started at once`,
          value: taken,
          unit: 'MB',
          target: { is: 'at most', value: 57 },
          measured: 'what the machine has less of, 15 s after the last start',
          data,
          note: `PSS ${median(pss).toFixed(1)} MB`,
        },
      ] satisfies Row[]
    },
    { FORGE_WARM_PROCESSES: '0' },
  )
