import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../../tools/test/postgres.ts'
import { percentile } from '../figures.ts'
import type { Measure } from '../measure.ts'
import { pace } from '../pace.ts'
import type { Row } from '../report.ts'
import { openServers } from '../servers/platform.ts'
import { keepStreams } from '../servers/streams.ts'

const perSecond = 200
const streamsOpen = 50
const settleMs = 2_000

/** The requests and streams that are lost when of three servers one after the other restarts, and when one is killed. */
export const severalServers: Measure = async ({ quick }) => {
  const cluster = await startPostgres()
  const platform = await openServers(cluster.url, 3)
  const { port, address, cookie, team } = platform
  try {
    const data = `three servers on one PostgreSQL behind nginx, ${perSecond} requests a second of one person and ${streamsOpen} event streams`
    const rows: Row[] = []
    for (const [how, rounds] of [
      ['stop', quick ? 1 : 3],
      ['kill', quick ? 2 : 20],
    ] as const) {
      const streams = keepStreams(address, cookie, `/api/v1/events?team=${team.id}`, streamsOpen)
      const traffic = pace(port, `localhost:${port}`, '/api/v1/user', perSecond, { cookie })
      await sleep(settleMs)
      const count = how === 'stop' ? rounds * 3 : rounds
      for (let n = 0; n < count; n += 1) {
        await platform.restart(n % 3, how)
        await sleep(settleMs)
      }
      const { sent, lost, why } = await traffic.stop()
      const open = streams.open()
      const { returns } = streams
      streams.close()
      const what = how === 'stop' ? 'rolling restart' : 'a server killed'
      const times = how === 'stop' ? `${rounds} times each of the three by SIGTERM` : `${rounds} times one by kill -9`
      rows.push(
        {
          name: `three servers, ${what}: requests lost`,
          value: lost,
          unit: '',
          target: { is: 'at most', value: 0 },
          measured: `of ${sent} requests GET /api/v1/user those without a 200; ${times}`,
          data,
          ...(why.length > 0 ? { note: `lost as ${why.join(', ')}` } : {}),
        },
        {
          name: `three servers, ${what}: stream back, longest`,
          value: Math.max(0, ...returns) / 1000,
          unit: 's',
          target: { is: 'at most', value: 3 },
          measured: `from the end of a stream until it is open again, ${returns.length} times; ${open} of ${streamsOpen} open at the end; ${times}`,
          data,
          ...(returns.length > 0 ? { note: `p50 ${percentile(returns, 0.5).toFixed(0)} ms` } : {}),
        },
      )
    }
    return rows
  } finally {
    await platform.close()
    await cluster.stop()
  }
}
