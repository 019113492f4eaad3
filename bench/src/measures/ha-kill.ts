import { until } from '@app/server/testing'
import { setTimeout as sleep } from 'node:timers/promises'
import { withInstances } from '../instances.ts'
import type { Measure } from '../measure.ts'
import { pace } from '../pace.ts'
import { kill, recordOf } from '../processes.ts'
import { bothRun, withTwoProcesses } from '../two-processes.ts'

const leadMs = 1_000

/** The requests lost, of 200 a second, when one of an instance's two processes is killed. */
export const haKill: Measure = (context) =>
  withInstances(context, 1, async (server, cookie) => {
    const client = server.client(cookie)
    const { id, name } = context.data.instances[0]!
    const host = `${name.toLowerCase()}.localhost:${server.port}`
    // Each waits longer for its next start, and the fifth would be started without its flows.
    const kills = context.quick ? 1 : 3
    let sent = 0
    let lost = 0
    let beyond = 0
    const inHands: number[] = []
    const seconds: number[] = []
    await withTwoProcesses(client, id, async () => {
      for (let round = 0; round < kills; round++) {
        await bothRun(client, id)
        const before = recordOf(context.home, id)!.pid
        const traffic = pace(server.port, host, '/ping')
        await sleep(leadMs)
        const [inFlight, sentBefore] = [traffic.inFlight(), traffic.sent()]
        const killed = performance.now()
        await kill(before)
        const inHand = inFlight + traffic.sent() - sentBefore
        await until(
          async () => recordOf(context.home, id)?.pid,
          (pid) => pid !== undefined && pid !== before,
          360_000,
        )
        await bothRun(client, id)
        seconds.push((performance.now() - killed) / 1000)
        const result = await traffic.stop()
        sent += result.sent
        lost += result.lost
        beyond += Math.max(0, result.lost - inHand)
        inHands.push(inHand)
      }
    })
    return [
      {
        name: 'replica killed under load: requests lost beyond those in hand',
        value: beyond,
        unit: '',
        target: { is: 'at most', value: 0 },
        measured: 'GET /ping through the proxy, 200 a second; kill -9 of one of two processes',
        data: `Node-RED 5.0.7, ${kills} kills`,
        note: `${lost} of ${sent} lost; ${inHands.join(', ')} under way or sent until the kernel had ended the process; both ran again after at most ${Math.max(...seconds).toFixed(1)} s`,
      },
    ]
  })
