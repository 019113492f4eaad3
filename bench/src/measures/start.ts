import { median, spread } from '../figures.ts'
import type { Measure } from '../measure.ts'
import type { Row } from '../report.ts'
import { type Entry, runServer } from '../server.ts'

/** How long nobody is answered when the server is started again. */
export const start: Measure = async ({ home, quick, auditData }) => {
  const seconds: Record<Entry, number[]> = { 'tools/start.ts': [], 'apps/server/src/main.ts': [] }
  const entries = Object.keys(seconds) as Entry[]
  // The first round is not counted: it fills the cache of compiled code, which npm start keeps.
  for (let round = 0; round <= (quick ? 1 : 7); round++) {
    for (const entry of entries) {
      const server = await runServer(home, entry)
      await server.stop()
      if (round > 0) seconds[entry].push(server.startedInMs / 1000)
    }
  }
  return entries.map(
    (entry): Row => ({
      name: entry === 'tools/start.ts' ? 'server start, npm start' : 'server start, without cache',
      value: median(seconds[entry]),
      unit: 's',
      target: { is: 'at most', value: 0.8 },
      measured: `from the start of node ${entry} to the first 200 of GET /api/v1/settings`,
      data: `existing database: ${auditData}, 110 instances`,
      note: spread(seconds[entry]),
    }),
  )
}
