import { setTimeout as sleep } from 'node:timers/promises'
import { withInstances } from '../instances.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import type { Server } from '../server.ts'

/** What the server keeps in memory while nobody asks anything, alone and with instances to look after. */
export const memory: Measure = async (context) => {
  const count = context.data.instances.length
  const idle = await withServer(context, (server) => settled(context, server))
  const busy = await withInstances(context, count, (server) => settled(context, server))
  const measured = 'resident memory of the server process (VmRSS) 10 s after the last request'
  return [
    {
      name: 'server memory, idle',
      value: idle,
      unit: 'MB',
      target: { is: 'at most', value: 130 },
      measured,
      data: 'after a start and one sign-in; no instance runs',
    },
    {
      name: `server memory, ${count} instances`,
      value: busy,
      unit: 'MB',
      target: { is: 'at most', value: 180 },
      measured,
      data: `${count} Node-RED processes that it started and watches`,
    },
  ]
}

async function settled({ quick }: Context, server: Server): Promise<number> {
  await sleep(quick ? 100 : 10_000)
  return server.rssMb()
}
