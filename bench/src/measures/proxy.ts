import { median, percentile, spread } from '../figures.ts'
import { socketOf, withInstances } from '../instances.ts'
import { load } from '../load.ts'
import type { Measure } from '../measure.ts'

/** The same flow through the platform and straight at its socket, in turn, so that both see the same machine. */
export const proxy: Measure = (context) =>
  withInstances(context, 1, async (server) => {
    const instance = context.data.instances[0]!
    const socketPath = socketOf(context.home, instance.id)
    const amount = context.quick ? 100 : 8_000
    const url = `${server.address}/ping`
    const host = `${instance.name}.localhost:${server.port}`
    const direct = () => load({ url, socketPath, connections: 10, amount, headers: { host } })
    const through = () => load({ url, connections: 10, amount, headers: { host } })
    await direct()
    await through()
    const shares: number[] = []
    const added: number[] = []
    let speeds = { direct: 0, through: 0 }
    for (let round = 0; round < (context.quick ? 1 : 7); round++) {
      const [a, b] = [await direct(), await through()]
      shares.push((100 * b.requestsPerSecond) / a.requestsPerSecond)
      added.push(percentile(b.latencies, 0.5) - percentile(a.latencies, 0.5))
      speeds = { direct: Math.round(a.requestsPerSecond), through: Math.round(b.requestsPerSecond) }
    }
    const measured = `GET /ping through the platform against the instance's own socket, 10 connections, ${amount} requests in turn`
    const data = 'http in → template → http response in Node-RED'
    return [
      {
        name: 'proxy, speed of direct',
        value: median(shares),
        unit: '%',
        target: { is: 'at least', value: 60 },
        measured,
        data,
        note: `${spread(shares)}; last ${speeds.through} against ${speeds.direct} a second`,
      },
      {
        name: 'proxy, added p50',
        value: median(added),
        unit: 'ms',
        target: { is: 'below', value: 1 },
        measured,
        data,
        note: spread(added),
      },
    ]
  })
