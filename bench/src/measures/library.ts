import { startServer } from '@app/server/testing'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../../tools/test/postgres.ts'
import { percentile } from '../figures.ts'
import type { Context, Measure } from '../measure.ts'
import type { Row } from '../report.ts'
import { runServer } from '../server.ts'

/** The list of a folder of many entries, and of the folder that it is in, on both databases. */
export const library: Measure = async (context) => {
  const rows = await measure(context, 'SQLite')
  const { url, stop } = await startPostgres()
  try {
    return [...rows, ...(await measure(context, 'PostgreSQL', url))]
  } finally {
    await stop()
  }
}

async function measure({ quick }: Context, databaseName: string, databaseUrl?: string): Promise<Row[]> {
  const [count, rounds] = quick ? [2_000, 20] : [10_000, 200]
  const home = mkdtempSync(join(tmpdir(), 'forge-bench-'))
  const { cookie, team } = await prepare({ home, ...(databaseUrl ? { databaseUrl } : {}) }, count)
  const server = await runServer(home, 'tools/start.ts', {
    FORGE_WARM_PROCESSES: '0',
    ...(databaseUrl ? { FORGE_DATABASE_URL: databaseUrl } : {}),
  })
  try {
    const rows: Row[] = []
    for (const [path, what, listed] of [
      ['many', `a folder of ${count} entries`, count],
      ['', 'the folder around it', 2],
    ] as const) {
      const times: number[] = []
      let cpu = 0
      // The first tenth warms up.
      for (let round = -rounds / 10; round < rounds; round++) {
        if (round === 0) cpu = server.cpuMs()
        const began = performance.now()
        const reply = await fetch(`${server.address}/storage/library/${team}/${path}`, { headers: { cookie } })
        const text = await reply.text()
        if (round >= 0) times.push(performance.now() - began)
        const found = JSON.parse(text) as unknown[]
        if (found.length !== listed) throw new Error(`${found.length} of ${listed} were listed, status ${reply.status}`)
      }
      rows.push({
        name: `library, list of ${what}, ${databaseName}, p99`,
        value: percentile(times, 0.99),
        unit: 'ms',
        target: { is: 'below', value: 100 },
        measured: `GET /storage/library/:team/${path}, ${rounds} times one after the other, until its answer is read`,
        data: `${count} entries of one folder, and one beside it, on ${databaseName}`,
        note: `p50 ${percentile(times, 0.5).toPrecision(3)}, ${((server.cpuMs() - cpu) / rounds).toPrecision(3)} ms CPU`,
      })
    }
    return rows
  } finally {
    await server.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

/** A library with many entries, in no order, in the database of a platform that does not run. */
async function prepare(config: { home: string; databaseUrl?: string }, count: number) {
  const server = await startServer({ config })
  const { owner, team } = await server.build.platform()
  const row = (folder: string, name: string) => ({
    id: randomUUID(),
    owner: team.id,
    team_id: team.id,
    instance_id: null,
    type: 'flows',
    folder,
    name,
    meta: '{}',
    body: JSON.stringify([{ id: 'a', type: 'inject', name: 'every morning' }]),
    updated_at: Date.now(),
  })
  // Steps of a number without a common divisor meet all of them.
  const rows = Array.from({ length: count }, (_, at) => row('many', `entry ${(at * 7_919) % count}`))
  await server.app.database.transact(async (tx) => {
    await tx.insertInto('library_entries').values(row('', 'one')).execute()
    for (let at = 0; at < count; at += 500)
      await tx
        .insertInto('library_entries')
        .values(rows.slice(at, at + 500))
        .execute()
  })
  await server.stop()
  return { cookie: owner.cookie, team: team.id }
}
