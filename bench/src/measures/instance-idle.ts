import { setTimeout as sleep } from 'node:timers/promises'
import { median, spread } from '../figures.ts'
import { withInstances } from '../instances.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import { availableMb, cpuMsOf, pssMbOf, recordOf } from '../processes.ts'
import type { Row } from '../report.ts'

const settleMs = 30_000
const windowMs = 60_000
const env = { FORGE_WARM_PROCESSES: '0' }

/** The cost of idle instances, and of the server that watches them. */
export const instanceIdle: Measure = async (context) => {
  const { home, data, quick } = context
  const count = data.instances.length
  const alone = await withServer(context, () => rested(context), env)
  return withInstances(
    context,
    count,
    async (server): Promise<Row[]> => {
      const taken = alone - (await rested(context))
      const pids = data.instances.map(({ id }) => recordOf(home, id)!.pid)
      const shares = pids.map(pssMbOf)
      const cpu = () => pids.map(cpuMsOf)
      const [before, serverBefore, from] = [cpu(), server.cpuMs(), performance.now()]
      await sleep(quick ? 1_000 : windowMs)
      const passed = performance.now() - from
      const after = cpu()
      const used = after.map((one, at) => (100 * (one - before[at]!)) / passed)
      const about = `${count} instances of Node-RED 5.0.7 with a flow of one address`
      return [
        {
          name: `memory an idle instance, ${count}`,
          value: taken / count,
          unit: 'MB',
          target: { is: 'at most', value: 57 },
          measured: 'what the machine has less of (MemAvailable) for each, half a minute after the last one started',
          data: about,
          note: `share of each in RAM (PSS) ${Math.round(median(shares))}, ${spread(shares)}`,
        },
        {
          name: `idle CPU an instance, ${count}`,
          value: used.reduce((sum, one) => sum + one, 0) / count,
          unit: '%',
          target: { is: 'below', value: 0.05 },
          measured: `CPU of their processes in ${Math.round(passed / 1000)} s, of one core`,
          data: about,
        },
        {
          name: `server CPU, ${count} instances`,
          value: (100 * (server.cpuMs() - serverBefore)) / passed,
          unit: '%',
          target: { is: 'below', value: 3 },
          measured: 'CPU of the server in the same time, of one core',
          data: about,
        },
        {
          name: `server memory, watching ${count}`,
          value: server.rssMb(),
          unit: 'MB',
          target: { is: 'at most', value: 250 },
          measured: 'resident memory of the server process (VmRSS)',
          data: about,
        },
      ]
    },
    env,
  )
}

async function rested({ quick }: Context): Promise<number> {
  await sleep(quick ? 1_000 : settleMs)
  return availableMb()
}
