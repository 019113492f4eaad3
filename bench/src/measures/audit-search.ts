import { startServer } from '@app/server/testing'
import { percentile } from '../figures.ts'
import type { Measure } from '../measure.ts'
import { signIn } from '../server.ts'

/** Texts to search for: at the end of the log only, everywhere, and nowhere. */
const texts = { rare: 'instance-17', frequent: 'instance', absent: 'nowhere at all' }

/** Duration of a text search of the audit log, all its queries together, from the first to the last. */
export const auditSearch: Measure = async ({ home, data, quick, auditData }) => {
  const server = await startServer({ config: { home } })
  const count = quick ? 10 : 100
  try {
    const headers = { cookie: await signIn(server.address, data) }
    const measure = async (query: string) => {
      const durations: number[] = []
      for (let i = 0; i < count + 5; i++) {
        const before = performance.now()
        const search = new URLSearchParams({ limit: '200', query })
        const reply = await fetch(`${server.address}/api/v1/teams/${data.teamId}/audit-log?${search.toString()}`, {
          headers,
        })
        await reply.arrayBuffer()
        durations.push(performance.now() - before)
      }
      return durations.slice(5)
    }
    const rows = []
    for (const [kind, text] of Object.entries(texts)) {
      const durations = await measure(text)
      rows.push({
        name: `audit log search, ${kind}, p95`,
        value: percentile(durations, 0.95),
        unit: 'ms',
        target: { is: 'below' as const, value: 100 },
        measured: `GET /api/v1/teams/:id/audit-log?query=${text}, ${count} times one after the other`,
        data: auditData,
        note: `p50 ${percentile(durations, 0.5).toPrecision(3)}`,
      })
    }
    return rows
  } finally {
    await server.stop()
  }
}
