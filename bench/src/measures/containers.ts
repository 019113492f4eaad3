import { until } from '@app/server/testing'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstAnswer } from '../answers.ts'
import { containerSettings, newestStack, plainRun } from '../containers.ts'
import { median, spread } from '../figures.ts'
import { withInstances } from '../instances.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import { processesOf, pssMbOf, untilWarm } from '../processes.ts'
import type { Row } from '../report.ts'
import { instanceMany } from './instance-many.ts'
import { proxy } from './proxy.ts'

const settleMs = 15_000
const many = 10

/** The cost of instances in containers beside that of processes and of `docker run`. Left out where no engine answers. */
export const containers: Measure = async (context) => {
  const settings = containerSettings()
  if (settings === undefined) {
    console.log('Left out: no Docker engine answers here.')
    return []
  }
  const inContainers = async (measure: Measure) =>
    (await measure({ ...context, settings })).map((row) => ({
      ...row,
      name: `containers: ${row.name}`,
      data: `${row.data}, in containers of Docker`,
    }))
  return [
    ...(await starts({ ...context, settings })),
    ...(await memory(context, settings)),
    ...(await inContainers(proxy)),
    ...(await inContainers(instanceMany)),
  ]
}

/** The time from a call to the first answer: of a container that waits, and of one that is made then. */
async function starts(context: Context): Promise<Row[]> {
  const warm = (await startsWith(context, 1)).map(({ ours }) => ours)
  const cold = await startsWith(context, 0)
  const ratios = cold.map(({ ours, plain }) => ours / plain)
  const described = 'Node-RED 5.0.7, installed before, no flow'
  return [
    {
      name: 'containers: create to answer',
      value: median(warm),
      unit: 's',
      target: { is: 'at most', value: 0.6 },
      measured: 'from POST /api/v1/projects to the first 200 on its socket, a warm container waiting',
      data: described,
      note: spread(warm),
    },
    {
      name: 'containers: create to answer, of docker run',
      value: median(ratios),
      unit: 'x',
      target: { is: 'at most', value: 0.7 },
      measured:
        'the same with FORGE_WARM_PROCESSES=0, over the time from docker run of Node-RED as it comes to its first 200, by turns',
      data: `${described}; the same image, network and Node.js`,
      note: `${spread(ratios)}; median ${median(cold.map(({ ours }) => ours)).toFixed(3)} s`,
    },
  ]
}

/** Seconds of starts, by turns with `docker run` of the same Node-RED, while so many containers wait. */
async function startsWith(context: Context, waiting: number): Promise<{ ours: number; plain: number }[]> {
  const { quick, home, data } = context
  const times: { ours: number; plain: number }[] = []
  await withServer(
    context,
    async (server, cookie) => {
      const client = server.client(cookie)
      // The first round warms up the engine and the cache of files.
      for (let round = -1; round < (quick ? 1 : 10); round += 1) {
        const { applicationId, choice } = data
        await untilWarm(home, waiting)
        const began = performance.now()
        const { id } = await client.call('instance.create', {
          body: { name: `contained-${waiting}-${round + 1}`, applicationId, ...choice },
        })
        const ours = ((await firstAnswer(home, id)).at - began) / 1000
        await until(
          () => client.call('instance.get', { params: { instanceId: id } }),
          ({ meta }) => meta.state === 'running',
        )
        await client.call('instance.delete', { params: { instanceId: id } })
        const plain = await plainRun(newestStack(home))
        if (round >= 0) times.push({ ours, plain })
      }
    },
    { FORGE_WARM_PROCESSES: String(waiting) },
  )
  return times
}

/** The memory of an instance of either kind, with the programs of the engine that each container needs. */
async function memory(context: Context, settings: Record<string, string>): Promise<Row[]> {
  const count = context.quick ? context.data.instances.length : many
  const chosen = context.data.instances.slice(0, count)
  const taken = async (env: Record<string, string>) => {
    let sizes: number[] = []
    await withInstances({ ...context, settings: { ...env, FORGE_WARM_PROCESSES: '0' } }, count, async () => {
      // The garbage of the start is collected after five seconds.
      await sleep(context.quick ? 0 : settleMs)
      sizes = chosen.map(({ id }) => sum(processesOf(context.home, id).map(pssMbOf)))
    })
    return sizes
  }
  const [process, container] = [await taken({}), await taken(settings)]
  return [
    {
      name: 'containers: memory beside a process',
      value: median(container) - median(process),
      unit: 'MB',
      target: { is: 'at most', value: 10 },
      measured: `PSS of the process of an instance, of the first process of its container and of the shim of the engine, less PSS of one without a container; medians of ${count}`,
      data: 'http in → template → http response in Node-RED 5.0.7',
      note: `${spread(container)}; without: ${spread(process)}`,
    },
  ]
}

const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)
