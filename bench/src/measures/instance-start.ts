import { firstAnswer } from '../answers.ts'
import { median, percentile, spread } from '../figures.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import { cpuMsOf, untilWarm } from '../processes.ts'
import type { Row } from '../report.ts'
import type { Server } from '../server.ts'

interface Times {
  /** Seconds from the request to create it until its first 200. */
  answer: number
  /** Milliseconds from then until the console was told that it runs. */
  told: number
  /** CPU milliseconds of its process until then, loading ahead included. */
  cpu: number
}

const data = 'Node-RED 5.0.7, installed before, no flow'

/** Time that a person waits for a new instance, time until the console knows, and cost. */
export const instanceStart: Measure = async (context) => {
  const warm = await create(context, '2')
  const cold = await create(context, '0')
  const measured = 'from POST /api/v1/projects to the first 200 on its socket'
  const answers = warm.map(({ answer }) => answer)
  const told = [...warm, ...cold].map((one) => one.told)
  return [
    {
      name: 'create to answer, p50',
      value: median(answers),
      unit: 's',
      target: { is: 'at most', value: 0.35 },
      measured: `${measured}, a warm process waiting`,
      data,
      note: spread(answers),
    },
    {
      name: 'create to answer, p99',
      value: percentile(answers, 0.99),
      unit: 's',
      target: { is: 'at most', value: 0.8 },
      measured: `${measured}, a warm process waiting; the longest of ${answers.length}`,
      data,
    },
    {
      name: 'create to answer, no warm process',
      value: median(cold.map(({ answer }) => answer)),
      unit: 's',
      target: { is: 'at most', value: 0.8 },
      measured: `${measured}, FORGE_WARM_PROCESSES=0`,
      data,
      note: spread(cold.map(({ answer }) => answer)),
    },
    {
      name: 'console behind instance',
      value: median(told),
      unit: 'ms',
      target: { is: 'at most', value: 300 },
      measured: 'from the first 200 on its socket until the event stream says running',
      data,
      note: spread(told),
    },
    cpuRow('CPU a start', warm, 'warm, with what it loaded ahead'),
    cpuRow('CPU a start, no warm process', cold, 'FORGE_WARM_PROCESSES=0'),
  ]
}

function cpuRow(name: string, times: Times[], how: string): Row {
  const seconds = times.map(({ cpu }) => cpu / 1000)
  return {
    name,
    value: median(seconds),
    unit: 's CPU',
    target: { is: 'at most', value: 0.5 },
    measured: `CPU of the process of the instance until it is said to run, ${how}`,
    data,
    note: spread(seconds),
  }
}

function create(context: Context, warmProcesses: string): Promise<Times[]> {
  return withServer(
    context,
    async (server, cookie) => {
      const times: Times[] = []
      for (let i = 0; i < (context.quick ? 1 : 15); i++) {
        await untilWarm(context.home, Number(warmProcesses))
        times.push(await once(context, server, cookie, `new-${warmProcesses}-${i}`))
      }
      return times
    },
    { FORGE_WARM_PROCESSES: warmProcesses },
  )
}

async function once({ home, data: { applicationId, choice } }: Context, server: Server, cookie: string, name: string) {
  const client = server.client(cookie)
  const running = follow(server, cookie)
  await running.ready
  const started = performance.now()
  const { id } = await client.call('instance.create', { body: { name, applicationId, ...choice } })
  const [shown, first] = await Promise.all([running.of(id), firstAnswer(home, id)])
  const cpu = cpuMsOf(first.pid)
  running.stop()
  await client.call('instance.delete', { params: { instanceId: id } })
  return { answer: (first.at - started) / 1000, told: shown - first.at, cpu }
}

/** Listens to the events as a console does; `of` resolves with the time at which an instance was said to run. */
function follow(server: Server, cookie: string) {
  const abort = new AbortController()
  const stream = fetch(`${server.address}/api/v1/events`, { headers: { cookie }, signal: abort.signal })
  return {
    ready: stream,
    stop: () => abort.abort(),
    async of(id: string): Promise<number> {
      let text = ''
      for await (const part of (await stream).body!.pipeThrough(new TextDecoderStream())) {
        text += part
        const lines = text.split('\n')
        text = lines.pop()!
        for (const line of lines.filter((one) => one.startsWith('data: '))) {
          const event = JSON.parse(line.slice(6)) as { type?: string; id?: string; state?: { meta: { state: string } } }
          if (event.type === 'instance' && event.id === id && event.state?.meta.state === 'running')
            return performance.now()
        }
      }
      throw new Error('The event stream ended')
    },
  }
}
