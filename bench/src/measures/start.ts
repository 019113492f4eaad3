import { median, spread } from '../figures.ts'
import type { Measure } from '../measure.ts'
import { runServer } from '../server.ts'

/** How long nobody is answered when the server is started again. */
export const start: Measure = async ({ home, quick, auditData }) => {
  const seconds: number[] = []
  // The first one, which is not counted, fills the cache of compiled code.
  for (let i = 0; i <= (quick ? 1 : 7); i++) {
    const server = await runServer(home)
    await server.stop()
    if (i > 0) seconds.push(server.startedInMs / 1000)
  }
  return [
    {
      name: 'server start', value: median(seconds), unit: 's', target: { is: 'at most', value: 0.8 },
      measured: 'from the start of the process to the first 200 of GET /api/v1/settings',
      data: `existing database: ${auditData}, 110 instances`, note: spread(seconds),
    },
  ]
}
