import { until } from '@app/server/testing'
import { firstAnswer } from '../answers.ts'
import { median, spread } from '../figures.ts'
import { type Measure, withServer } from '../measure.ts'
import { untilWarm } from '../processes.ts'

/** Downtime of a flow when its instance is started again. */
export const instanceRestart: Measure = (context) =>
  withServer(context, async (server, cookie) => {
    const client = server.client(cookie)
    const { id } = context.data.instances[0]!
    const params = { instanceId: id }
    const inState = (state: string) =>
      until(
        () => client.call('instance.get', { params }),
        ({ meta }) => meta.state === state,
      )
    /** Seconds from the request until the flow answers in another process than before. */
    async function timed(action: 'start' | 'restart', before?: number) {
      await untilWarm(context.home, 2)
      const asked = performance.now()
      await client.call(`instance.${action}`, { params })
      const { at, pid } = await firstAnswer(context.home, id, '/ping', before)
      await inState('running')
      return { seconds: (at - asked) / 1000, pid }
    }

    const starts: number[] = []
    const restarts: number[] = []
    for (let i = 0; i < (context.quick ? 1 : 7); i++) {
      const started = await timed('start')
      const restarted = await timed('restart', started.pid)
      starts.push(started.seconds)
      restarts.push(restarted.seconds)
      await client.call('instance.suspend', { params })
      await inState('suspended')
    }
    const data = 'http in → template → http response in Node-RED 5.0.7, a warm process waiting'
    return [
      {
        name: 'start of a suspended one',
        value: median(starts),
        unit: 's',
        target: { is: 'at most', value: 0.35 },
        measured: 'from POST …/actions/start until its flow answers',
        data,
        note: spread(starts),
      },
      {
        name: 'restart',
        value: median(restarts),
        unit: 's',
        target: { is: 'at most', value: 0.7 },
        measured: 'from POST …/actions/restart until its flow answers in the new process',
        data,
        note: spread(restarts),
      },
    ]
  })
