import type { Client } from '@app/client'
import { password, startServer, until } from '@app/server/testing'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../../tools/test/postgres.ts'
import { median, spread } from '../figures.ts'
import { load } from '../load.ts'
import type { Measure } from '../measure.ts'
import { endBroker } from '../processes.ts'
import type { Row } from '../report.ts'
import { runServer, type Server, signIn } from '../server.ts'

const [applications, instances, entries] = [10, 9, 1_000]
const rounds = 5

/** The CPU time of the calls that consoles make most on PostgreSQL, over that on SQLite, by turns. */
export const databases: Measure = async ({ quick }) => {
  const cluster = await startPostgres()
  const [sqlite, postgres] = [await open(), await open(cluster.url)]
  try {
    const calls: [string, (teamId: string) => string, number][] = [
      ['GET user', () => '/api/v1/user/', 5_000],
      ['GET applications of a team', (team) => `/api/v1/teams/${team}/applications`, 2_000],
      ['GET audit log of a team', (team) => `/api/v1/teams/${team}/audit-log?limit=200`, 1_000],
    ]
    const rows: Row[] = []
    for (const [name, path, most] of calls) {
      const count = quick ? most / 50 : most
      const ratios: number[] = []
      // The first round warms up.
      for (let round = -1; round < rounds; round += 1) {
        const ratio = (await postgres.cpu(path, count)) / (await sqlite.cpu(path, count))
        if (round >= 0) ratios.push(ratio)
      }
      rows.push({
        name: `${name}, PostgreSQL to SQLite`,
        value: median(ratios),
        unit: 'x',
        target: { is: 'at most', value: 1.5 },
        measured: `server CPU per ${name.split(' ')[0]} ${path(':id')}, 10 connections, ${count} requests by turns; that of PostgreSQL itself does not count`,
        data: `${applications} applications with ${instances} instances each, ${entries} audit entries of a team`,
        note: spread(ratios),
      })
    }
    return rows
  } finally {
    for (const one of [sqlite, postgres]) await one.close()
    await cluster.stop()
  }
}

/** A server on a database of its own with a team, and what the calls cost it. */
async function open(databaseUrl?: string) {
  const home = mkdtempSync(join(tmpdir(), 'forge-bench-'))
  const prepared = await startServer({ config: { home, ...(databaseUrl ? { databaseUrl } : {}) } })
  const { owner, team } = await prepared.build.platform()
  for (let one = 0; one < applications; one += 1) {
    const application = await prepared.build.application(owner, team)
    for (let other = 0; other < instances; other += 1) {
      const { id } = await prepared.build.instance(owner, application)
      await inState(owner.client, id, 'running')
      // A server that is started on the data has nothing to start then.
      await owner.client.call('instance.suspend', { params: { instanceId: id } })
      await inState(owner.client, id, 'suspended')
    }
  }
  for (let one = 0; one < entries; one += 1)
    await owner.client.call('team.update', { params: { teamId: team.id }, body: { name: `Team ${one}` } })
  await prepared.stop()
  const server: Server = await runServer(home, 'tools/start.ts', {
    FORGE_WARM_PROCESSES: '0',
    ...(databaseUrl ? { FORGE_DATABASE_URL: databaseUrl } : {}),
  })
  const cookie = await signIn(server.address, { username: owner.username, password })
  return {
    /** CPU milliseconds of the server for each of so many requests. */
    async cpu(path: (teamId: string) => string, amount: number): Promise<number> {
      const before = server.cpuMs()
      await load({ url: server.address + path(team.id), connections: 10, amount, headers: { cookie } })
      return (server.cpuMs() - before) / amount
    },
    async close(): Promise<void> {
      await server.stop()
      await endBroker(home)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const inState = (client: Client, instanceId: string, state: string) =>
  until(
    () => client.call('instance.get', { params: { instanceId } }),
    ({ meta }) => meta.state === state,
  )
