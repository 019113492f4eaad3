import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { median, spread } from '../figures.ts'
import type { Measure } from '../measure.ts'
import type { Row } from '../report.ts'
import { runServer } from '../server.ts'

const compiled = join(import.meta.dirname, '../../../.cache/compile')
const kinds = {
  'server start, npm start': 'the code that the start before compiled is kept',
  'server start, the first after an upgrade': 'built, and nothing compiled is kept',
}

/** Downtime of the server when it is started again. */
export const start: Measure = async ({ home, quick, auditData }) => {
  const once = async () => {
    const server = await runServer(home)
    await server.stop()
    return server.startedInMs / 1_000
  }
  await once()
  const [usual, first]: [number[], number[]] = [[], []]
  for (let round = 0; round < (quick ? 1 : 7); round++) {
    rmSync(compiled, { recursive: true, force: true })
    first.push(await once())
    usual.push(await once())
  }
  return Object.entries(kinds).map(([name, what], n): Row => {
    const seconds = n === 0 ? usual : first
    return {
      name,
      value: median(seconds),
      unit: 's',
      target: { is: 'at most', value: 0.8 },
      measured: `from the start of node tools/start.ts to the first 200 of GET /api/v1/settings; ${what}`,
      data: `existing database: ${auditData}, 110 instances`,
      note: spread(seconds),
    }
  })
}
