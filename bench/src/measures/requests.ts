import { cpuPerRequest, type Measure, withServer } from '../measure.ts'
import type { Row } from '../report.ts'

/** The CPU time of the three calls that consoles make most. */
export const requests: Measure = async (context) => {
  const { quick, data } = context
  const counts = quick ? { user: 200, list: 100, log: 20 } : { user: 20_000, list: 6_000, log: 3_000 }
  const team = `/api/v1/teams/${data.teamId}`
  const measured = (path: string, count: number) =>
    `server CPU per GET ${path}, 10 connections, ${count} requests a round`
  return withServer(context, async (server, cookie): Promise<Row[]> => {
    const user = await cpuPerRequest(server, cookie, '/api/v1/user/', counts.user)
    const list = await cpuPerRequest(server, cookie, `${team}/applications`, counts.list)
    const log = await cpuPerRequest(server, cookie, `${team}/audit-log?limit=200`, counts.log)
    return [
      {
        name: 'GET user',
        ...user,
        unit: 'ms CPU',
        target: { is: 'at most', value: 0.1 },
        measured: measured('/api/v1/user/', counts.user),
        data: 'signed in by session cookie',
      },
      {
        name: 'GET applications of a team',
        ...list,
        unit: 'ms CPU',
        target: { is: 'at most', value: 0.3 },
        measured: measured('/api/v1/teams/:id/applications', counts.list),
        data: '10 applications with 9 instances each',
      },
      {
        name: 'GET audit log of a team',
        ...log,
        unit: 'ms CPU',
        target: { is: 'at most', value: 0.9 },
        measured: measured('/api/v1/teams/:id/audit-log?limit=200', counts.log),
        data: context.auditData,
      },
    ]
  })
}
