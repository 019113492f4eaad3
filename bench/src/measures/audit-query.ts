import { startServer } from '@app/server/testing'
import { percentile } from '../figures.ts'
import type { Measure } from '../measure.ts'
import { signIn } from '../server.ts'

/** Time that the database takes for one page of the audit log, as the server asks for it. */
export const auditQuery: Measure = async ({ home, data, quick, auditData }) => {
  const durations: number[] = []
  const server = await startServer({
    config: { home },
    onQuery({ query, queryDurationMillis }) {
      if (query.sql.includes('from "audit_log"')) durations.push(queryDurationMillis)
    },
  })
  const count = quick ? 50 : 2_000
  try {
    const headers = { cookie: await signIn(server.address, data) }
    for (let i = 0; i < count * 1.1; i++) {
      const reply = await fetch(`${server.address}/api/v1/teams/${data.teamId}/audit-log?limit=200`, { headers })
      await reply.arrayBuffer()
    }
  } finally {
    await server.stop()
  }
  const warm = durations.slice(-count)
  return [
    {
      name: 'audit log query, p99',
      value: percentile(warm, 0.99),
      unit: 'ms',
      target: { is: 'at most', value: 5 },
      measured: `the query of one page of 200 within the server, ${count} times one after the other`,
      data: auditData,
      note: `p50 ${percentile(warm, 0.5).toPrecision(3)}`,
    },
  ]
}
