import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, spread } from '../figures.ts'
import { socketOf } from '../instances.ts'
import { type Measure, withServer } from '../measure.ts'
import type { Server } from '../server.ts'

interface Times {
  /** From the request to create it until the console was told that it runs. */
  shown: number
  /** From the first answer of its flow's server until then. */
  after: number
}

/** How long a person waits for a new instance, and how soon the console knows. */
export const instanceStart: Measure = (context) =>
  withServer(context, async (server, cookie) => {
    const times: Times[] = []
    for (let i = 0; i < (context.quick ? 1 : 5); i++) times.push(await once(server, cookie, i))
    const data = 'Node-RED 5.0.7, installed before, no flow'
    const [shown, after] = [times.map((one) => one.shown / 1000), times.map((one) => one.after)]
    return [
      {
        name: 'create to running',
        value: median(shown),
        unit: 's',
        data,
        note: spread(shown),
        measured: 'from POST /api/v1/projects until the event stream says running',
      },
      {
        name: 'console behind instance',
        value: median(after),
        unit: 'ms',
        target: { is: 'at most', value: 300 },
        data,
        note: spread(after),
        measured: 'from the first answer on its socket until the event stream says running',
      },
    ]

    async function once(at: Server, header: string, i: number): Promise<Times> {
      const client = at.client(header)
      const { applicationId, choice } = context.data
      const running = follow(at, header)
      await running.ready
      const started = performance.now()
      const { id } = await client.call('instance.create', { body: { name: `new-${i}`, applicationId, ...choice } })
      const answered = firstAnswer(context.home, id)
      const [shown, first] = [await running.of(id), await answered]
      running.stop()
      await client.call('instance.delete', { params: { instanceId: id } })
      return { shown: shown - started, after: shown - first }
    }
  })

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

/** The time of the first answer of any kind, looked for every 5 ms. */
async function firstAnswer(home: string, id: string): Promise<number> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(5)) {
    if (await answers(home, id)) return performance.now()
  }
  throw new Error('No answer within a minute')
}

function answers(home: string, id: string): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const asked = request({ socketPath: socketOf(home, id), path: '/' }, (reply) => {
        reply.resume()
        resolve((reply.statusCode ?? 500) < 500)
      })
      asked.on('error', () => resolve(false)).end()
    } catch {
      resolve(false)
    }
  })
}
