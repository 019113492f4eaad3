import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { percentile } from '../figures.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import type { Row } from '../report.ts'

const instances = 200

/** The calls behind both pages of a team with many instances, made together as the pages make them. */
export const teamPage: Measure = async (context) => {
  fill(context)
  const rounds = context.quick ? 20 : 500
  return withServer(context, async (server, cookie): Promise<Row[]> => {
    const team = `${server.address}/api/v1/teams/${context.data.teamId}`
    const read = async (path: string) => {
      const reply = await fetch(team + path, { headers: { cookie } })
      if (!reply.ok) throw new Error(`${path} was answered ${reply.status}`)
      await reply.arrayBuffer()
    }
    async function page(name: string, paths: string[]): Promise<Row> {
      const times: number[] = []
      let cpu = 0
      // The first tenth warms up.
      for (let i = -rounds / 10; i < rounds; i++) {
        if (i === 0) cpu = server.cpuMs()
        const began = performance.now()
        await Promise.all(paths.map(read))
        if (i >= 0) times.push(performance.now() - began)
      }
      return {
        name: `${name} of ${instances} instances, p99`,
        value: percentile(times, 0.99),
        unit: 'ms',
        target: { is: 'at most', value: 50 },
        measured: `${paths.map((path) => `GET …${path}`).join(' and ')} together, ${rounds} times one after the other`,
        data: `${instances} suspended instances in 10 applications`,
        note: `p50 ${percentile(times, 0.5).toPrecision(3)}, ${((server.cpuMs() - cpu) / rounds).toPrecision(3)} ms CPU; the number of queries does not depend on that of instances`,
      }
    }
    return [
      await page('team applications', ['/applications', '/applications/status']),
      await page('team instances', ['/projects?brief=true']),
    ]
  })
}

/** Copies instances of the team until there are enough; no server may run. */
function fill({ home, data }: Context): void {
  const database = new DatabaseSync(join(home, 'forge.db'))
  const rows = database.prepare('select * from instances where team_id = ? order by id').all(data.teamId)
  const columns = Object.keys(rows[0]!)
  const insert = database.prepare(`insert into instances (${columns.join()}) values (${columns.map(() => '?').join()})`)
  for (let i = rows.length; i < instances; i++) {
    const name = `copied-${i}`
    const copy = { ...rows[i % rows.length], id: randomUUID(), name, name_key: name, client_id: null }
    insert.run(...columns.map((column) => copy[column as keyof typeof copy] ?? null))
  }
  database.close()
}
