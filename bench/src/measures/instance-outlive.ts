import { freePort, until } from '@app/server/testing'
import { readdirSync, readFileSync } from 'node:fs'
import { request, type RequestOptions } from 'node:http'
import { join } from 'node:path'
import { firstAnswer } from '../answers.ts'
import { percentile } from '../figures.ts'
import { socketOf } from '../instances.ts'
import type { Context, Measure } from '../measure.ts'
import { recordOf } from '../processes.ts'
import { runServer, signIn } from '../server.ts'

/** Kills the platform again and again while all instances answer requests: what becomes of them, and when are they back? */
export const instanceOutlive: Measure = async (context) => {
  const kills = context.quick ? 2 : 20
  const settings = { FORGE_PORT: String(await freePort()), FORGE_WARM_PROCESSES: '0' }
  const run = () => runServer(context.home, 'apps/server/src/main.ts', settings)
  const { instances } = context.data
  let server = await run()
  const all = async (action: 'start' | 'suspend', state: string) => {
    const client = server.client(await signIn(server.address, context.data))
    await Promise.all(instances.map(({ id }) => client.call(`instance.${action}`, { params: { instanceId: id } })))
    await until(
      () => Promise.all(instances.map(({ id }) => client.call('instance.get', { params: { instanceId: id } }))),
      (answers) => answers.every(({ meta }) => meta.state === state),
      300_000,
    )
  }
  const pids = () => instances.map(({ id }) => recordOf(context.home, id)?.pid)
  const seconds: number[] = []
  const starts: number[] = []
  try {
    await all('start', 'running')
    for (const { id } of instances) await firstAnswer(context.home, id, '/ping')
    const before = pids()
    const traffic = knock(context)
    for (let kill = 0; kill < kills; kill++) {
      await server.kill()
      server = await run()
      const begun = performance.now()
      starts.push(server.startedInMs / 1000)
      const { port } = server
      const found = instances.map(async ({ name }) => {
        const headers = { host: `${name.toLowerCase()}.localhost:${port}` }
        await until(() => isAnswered({ port, host: '127.0.0.1', path: '/ping', headers }), Boolean)
        seconds.push((performance.now() - begun) / 1000)
      })
      await Promise.all(found)
    }
    const { asked, failed } = await traffic.stop()
    const after = pids()
    const restarted = before.filter((pid, n) => pid !== after[n]).length
    const missing = instances.map(({ id }) => linesMissing(context.home, id, asked / instances.length))
    const data = `${instances.length} instances of Node-RED 5.0.7 under requests, ${kills} times kill -9 of the platform`
    return [
      {
        name: 'platform killed: instance found again, p99',
        value: percentile(seconds, 0.99),
        unit: 's',
        target: { is: 'at most', value: 5 },
        measured: 'from the first answer of the next platform until the instance answers through its proxy',
        data,
        note: `p50 ${percentile(seconds, 0.5).toFixed(2)} s, after the ${percentile(starts, 0.5).toFixed(2)} s that the platform itself takes; ${seconds.length} times`,
      },
      {
        name: 'platform killed: instances started again',
        value: restarted,
        unit: '',
        target: { is: 'at most', value: 0 },
        measured: 'instances whose process is another one afterwards',
        data,
      },
      {
        name: 'platform killed: requests lost',
        value: failed,
        unit: '',
        target: { is: 'at most', value: 0 },
        measured: `of ${asked} requests to the instances themselves, those without a 200`,
        data,
      },
      {
        name: 'platform killed: lines missing in logs',
        value: missing.reduce((sum, count) => sum + count, 0),
        unit: '',
        target: { is: 'at most', value: 0 },
        measured: 'each of these requests writes a line into the log of its instance',
        data,
      },
    ]
  } finally {
    await all('suspend', 'suspended')
    await server.stop()
  }
}

/** Asks each instance at its own socket, one after the other and each as often as the others, until it is stopped. */
function knock({ home, data: { instances } }: Context) {
  let isOver = false
  let asked = 0
  let failed = 0
  const done = (async () => {
    for (let round = 1; !isOver; round++)
      for (const { id } of instances) {
        asked += 1
        if (!(await isAnswered({ socketPath: socketOf(home, id), path: `/line?n=${round}` }))) failed += 1
      }
  })()
  return {
    async stop() {
      isOver = true
      await done
      return { asked, failed }
    },
  }
}

/** Number of the lines "line 1" to "line <count>" that are missing from the rest of a log, from its first line on. */
function linesMissing(home: string, id: string, count: number): number {
  const folder = join(home, 'instances', id, 'logs')
  const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const written = new Set(text.flatMap((part) => [...part.matchAll(/line (\d+)"/g)].map((match) => Number(match[1]))))
  const first = Math.min(...written)
  return written.size === 0 ? count : count - first + 1 - written.size
}

function isAnswered(to: RequestOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ ...to, agent: false }, (reply) => {
      reply.resume()
      resolve(reply.statusCode === 200)
    })
    call.on('error', () => resolve(false)).end()
  })
}
