import { until } from '@app/server/testing'
import { get } from 'node:http'
import { percentile, spread } from '../figures.ts'
import { type Measure, withServer } from '../measure.ts'
import { untilWarm } from '../processes.ts'
import type { Server } from '../server.ts'

const warmProcesses = 2

/** Wait of a request whose instance sleeps. */
export const instanceWake: Measure = (context) =>
  withServer(
    context,
    async (server, cookie) => {
      const client = server.client(cookie)
      const chosen = context.data.instances.slice(0, context.quick ? 2 : 20)
      const state = async (id: string) => (await client.call('instance.get', { params: { instanceId: id } })).meta
      for (const { id } of chosen) {
        const params = { instanceId: id }
        // The shortest time that can be chosen.
        await client.call('instance.update', { params, body: { settings: { sleep: { enabled: true, after: 10 } } } })
        await client.call('instance.start', { params })
      }
      const waits: number[] = []
      for (const { id, name } of chosen) {
        await until(
          () => state(id),
          ({ sleeping }) => sleeping === true,
          120_000,
        )
        await untilWarm(context.home, warmProcesses)
        waits.push(await asked(server, name))
      }
      for (const { id } of chosen) {
        const params = { instanceId: id }
        await client.call('instance.suspend', { params })
        // Sleep would disturb the measures that follow on the same data.
        await client.call('instance.update', { params, body: { settings: { sleep: { enabled: false, after: 10 } } } })
        await until(
          () => state(id),
          (meta) => meta.state === 'suspended' && !meta.sleeping,
          60_000,
        )
      }
      return [
        {
          name: 'wake by a request, p95',
          value: percentile(waits, 0.95) / 1000,
          unit: 's',
          target: { is: 'at most', value: 0.5 },
          measured: `GET /ping of ${chosen.length} sleeping instances, one after the other, until the whole answer`,
          data: 'http in → template → http response in Node-RED 5.0.7, a warm process waiting',
          note: spread(waits.map((wait) => wait / 1000)),
        },
      ]
    },
    { FORGE_WARM_PROCESSES: String(warmProcesses) },
  )

/** Milliseconds until an instance answered on its own host name, through the platform. */
function asked({ port }: Server, name: string): Promise<number> {
  const began = performance.now()
  const headers = { host: `${name.toLowerCase()}.localhost:${port}` }
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/ping', headers, agent: false }, (reply) => {
      reply.resume()
      reply.once('end', () => {
        if (reply.statusCode === 200) resolve(performance.now() - began)
        else reject(new Error(`The sleeping instance answered ${reply.statusCode}`))
      })
    }).on('error', reject)
  })
}
