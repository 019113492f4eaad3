import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  clientWith,
  databaseUrl,
  instanceCalls,
  send,
  startServer,
  type TestServer,
  until,
} from '../../../testing/index.ts'
import { type Database, openDatabase } from '../../platform/db/database.ts'
import { listMigrations, migrate } from '../../platform/db/migrate.ts'
import { readKeyFile } from '../../platform/keys/key.file.ts'

const flowsOf = (label: string) => [
  { id: 'tab', type: 'tab', label },
  { id: 'debug', type: 'debug', z: 'tab', wires: [] },
]
const revisionOf = (flows: unknown) => createHash('sha256').update(JSON.stringify(flows)).digest('hex')

/** An instance and what it refers to, each table after those that it refers to itself. */
const tables =
  'users sessions team_types teams team_members instance_types stacks templates applications instances instance_storage'

/** The schema of before this migration, with the rows of `current` as far as it has their tables and columns. */
async function earlierSchema(before: string, current: Database, home: string, url: string | undefined): Promise<void> {
  const earlier = await openDatabase({ home, url })
  const names = await listMigrations()
  await migrate(earlier, undefined, new Set(names.slice(0, names.indexOf(before))))
  const known = await earlier.read.introspection.getTables()
  for (const table of tables.split(' ')) {
    const columns = known.find(({ name }) => name === table)!.columns.map(({ name }) => sql.ref(name))
    const list = sql.join(columns)
    const { rows } = await sql<Record<string, unknown>>`select ${list} from ${sql.table(table)}`.execute(current.read)
    for (const row of rows)
      await sql`insert into ${sql.table(table)} (${list}) values (${sql.join(Object.values(row))})`.execute(
        earlier.read,
      )
  }
  await earlier.close()
}

test('flows of before there were versions are the first version', async () => {
  let server: TestServer = await startServer()
  const { owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  const calls = instanceCalls(() => ({ server, owner, application }))
  const instance = await calls.running()
  const path = `/storage/${instance.id}`
  const asInstance = async () => ({ authorization: `Bearer ${await server.build.instanceToken(instance)}` })
  const flows = { flows: flowsOf('Old'), basis: revisionOf([]), credentials: { $: 'old' } }
  await send(server.address, 'POST', `${path}/deploy`, { headers: await asInstance(), body: flows })

  const home = await mkdtemp(join(tmpdir(), 'forge-earlier-'))
  const url = await databaseUrl({ empty: true })
  await earlierSchema('0010-flow-versions.ts', server.app.database, home, url)
  const secretKey = readKeyFile(server.config.home)!
  await server.close()
  server = await startServer({ config: { home, secretKey, ...(url ? { databaseUrl: url } : {}) } })

  const { call } = clientWith(server.address, 'cookie', owner.cookie)
  const params = { instanceId: instance.id }
  const [version, ...none] = (await call('version.list', { params })).versions
  expect([version, none]).toMatchObject([{ kind: 'earlier', current: true, nodes: 2 }, []])
  const next = { flows: flowsOf('New'), basis: revisionOf(flowsOf('Old')), credentials: { $: 'new' } }
  const deployed = await send(server.address, 'POST', `${path}/deploy`, { headers: await asInstance(), body: next })
  expect(deployed.status).toBe(200)
  const runs = async () =>
    until(
      () => call('instance.get', { params }),
      ({ meta }) => meta.state === 'running',
    )
  // The new server starts it again first.
  await runs()
  await call('version.restore', { params: { ...params, versionId: version!.id } })
  await runs()
  const headers = await asInstance()
  const stored = async (kind: string) => (await send(server.address, 'GET', `${path}/${kind}`, { headers })).json
  expect([await stored('flows'), await stored('credentials')]).toEqual([flowsOf('Old'), { $: 'old' }])
  await server.close()
  await rm(home, { recursive: true, force: true })
})
