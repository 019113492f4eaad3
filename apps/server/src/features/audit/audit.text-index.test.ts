import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  clientWith,
  createStubDriver,
  databaseUrl,
  password,
  send,
  startServer,
  type TestServer,
} from '../../../testing/index.ts'
import { backupRules } from '../../backup.rules.ts'
import { readKeyFile } from '../../platform/keys/key.file.ts'
import { restorePlatform } from '../../restore.ts'
import { makeBackup } from '../backup/index.ts'

// The key of a backup is made slowly on purpose.
vi.setConfig({ testTimeout: 120_000 })

const passphrase = 'a long passphrase of somebody'
const lockKey = 727_016
const postgres = process.env.TEST_DATABASE === 'postgres'
const servers: TestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const start = async (options: Parameters<typeof startServer>[0] = {}) => {
  const server = await startServer(options)
  servers.push(server)
  return server
}

/** A log that is too long to be read from end to end; its oldest entry says something that no other says. */
async function longLog({ app, build }: TestServer) {
  const { owner, team } = await build.platform()
  const entry = { event: 'application.created', scope_type: 'team' as const, scope_id: team.id }
  const by = { trigger_id: owner.id, trigger_type: 'user' as const, trigger_name: 'Ada', username: owner.username }
  const rows = Array.from({ length: 12_000 }, (_, i) => ({
    ...entry,
    ...by,
    created_at: Date.parse('2025-01-01T00:00:00Z') + i,
    address: '',
    body: JSON.stringify({ application: { id: `a${i}`, name: i === 0 ? 'Quicksilver' : 'Press' } }),
  }))
  const { read } = app.database
  await read
    .insertInto('audit_counts')
    .values({ ...entry, count: rows.length })
    .execute()
  for (let i = 0; i < rows.length; i += 500)
    await read
      .insertInto('audit_log')
      .values(rows.slice(i, i + 500))
      .execute()
  return { owner, team }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** The database and a home of its own to restore into. */
async function emptyPlatform({ config }: TestServer) {
  const home = await mkdtemp(join(tmpdir(), 'forge-index-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return { ...config, home, databaseUrl: await databaseUrl({ empty: true }) }
}

test('a restored platform searches its whole audit log, and says so while the index is being built', async () => {
  const server = await start()
  const { owner, team } = await longLog(server)
  const { home } = server.config
  const file = join(home, 'all.backup')
  const source = { home, databaseUrl: server.config.databaseUrl, driver: server.driver, version: '1.2.3' }
  await makeBackup({ ...source, masterKey: readKeyFile(home)!, rules: backupRules }, { file, passphrase })
  await server.stop()
  const config = await emptyPlatform(server)
  const driver = createStubDriver()
  await restorePlatform(config, driver, { file, passphrase })
  // As a server that is building it holds it.
  const other = config.databaseUrl === undefined ? undefined : await connect(config.databaseUrl)
  await other?.query('select pg_advisory_lock($1)', [lockKey])

  const next = await start({ config, driver: () => driver })
  const signIn = await send(next.address, 'POST', '/account/login', { body: { username: owner.username, password } })
  const client = clientWith(next.address, 'cookie', signIn.headers.getSetCookie()[0]!.split(';')[0]!)
  const search = (cursor?: string) =>
    client.call('team.auditLog', {
      params: { teamId: team.id },
      query: { query: 'quicksilver', ...(cursor === undefined ? {} : { cursor }) },
    })
  let page = await search()
  expect(page.meta.indexing).toBe(postgres ? 0 : undefined)
  while (page.log.length === 0) page = await search(page.meta.next_cursor)
  expect(page.log.map(({ body }) => body)).toEqual([{ application: { id: 'a0', name: 'Quicksilver' } }])

  await other?.query('select pg_advisory_unlock($1)', [lockKey])
  await expect.poll(async () => (await search()).meta).toEqual({})
  expect((await search()).log).toEqual(page.log)
})

if (postgres)
  test('an index that a killed build left behind is built again, as it was', async () => {
    const server = await start()
    await longLog(server)
    await server.stop()
    const url = server.config.databaseUrl!
    const [one, other] = [await connect(url), await connect(url)]
    const found = async () => {
      const { rows } = await one.query<{ definition: string; valid: boolean }>(
        `select pg_get_indexdef(indexrelid) as definition, indisvalid as valid from pg_index
          where indexrelid = to_regclass('audit_log_text')`,
      )
      return rows[0]
    }
    const before = await found()
    await one.query('drop index audit_log_text')
    await other.query('begin; lock table audit_log in row exclusive mode')
    await one.query("set statement_timeout = '200ms'")
    const build = one.query(before!.definition.replace('INDEX', 'INDEX CONCURRENTLY'))
    await expect(build).rejects.toMatchObject({ code: '57014' })
    await other.query('rollback')
    expect(await found()).toEqual({ ...before, valid: false })

    await start({ config: server.config })
    await expect.poll(found).toEqual(before)
  })
