import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Cluster, createDatabase, startPostgres } from '../../../tools/test/postgres.ts'
import { backupRules } from '../src/backup.rules.ts'
import { makeBackup, restoreBackup } from '../src/features/backup/index.ts'
import { openDatabase } from '../src/platform/db/database.ts'
import { listMigrations, migrate } from '../src/platform/db/migrate.ts'
import { readKeyFile } from '../src/platform/keys/key.file.ts'
import { linkTo } from './database.link.ts'
import { createStubDriver, startServer, until } from './index.ts'

// The key of each backup is made slowly on purpose, and machines are loaded.
vi.setConfig({ testTimeout: 120_000 })

let cluster: Cluster
let home: string
beforeAll(async () => {
  cluster = await startPostgres({ durable: false })
})
afterAll(() => cluster.stop())
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'forge-patient-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** A client that comes through the link waits for `lock` for seconds, and meanwhile PostgreSQL answers nobody new. */
async function whileBusy<T>(url: string, lock: string, work: (through: string) => Promise<T>): Promise<T> {
  const [link, holder, looker] = [await linkTo(url), await connect(url), await connect(url)]
  const waiting = async () => (await looker.query('select 1 from pg_locks where not granted')).rows.length > 0
  try {
    await holder.query(`begin; ${lock}`)
    const done = work(link.url)
    done.catch(() => undefined)
    await until(waiting, (is) => is)
    link.hold()
    // Longer than a query may wait before the database is asked for an answer, and longer than it has for that.
    await holder.query('select pg_sleep(4)')
    link.mend()
    await holder.query('commit')
    return await done
  } finally {
    link.close()
    await holder.end()
    await looker.end()
  }
}

test('a step of the schema that keeps the database too busy to answer others is not taken for lost', async () => {
  const url = await createDatabase(cluster.url)
  const applied = await whileBusy(url, 'select pg_advisory_xact_lock(727001)', async (through) => {
    const database = await openDatabase({ home, url: through })
    try {
      return await migrate(database)
    } finally {
      await database.close()
    }
  })
  expect(applied).toEqual(await listMigrations())
})

test('a restore that keeps the database too busy to answer others goes on', async () => {
  const source = await startServer({ config: { databaseUrl: '' } })
  const { owner } = await source.build.platform()
  const file = join(home, 'made.backup')
  const passphrase = 'four words of mine'
  await makeBackup(
    {
      home: source.config.home,
      driver: source.driver,
      masterKey: readKeyFile(source.config.home)!,
      version: '1.2.3',
      rules: backupRules,
    },
    { file, passphrase },
  )
  await source.close()
  const url = await createDatabase(cluster.url)
  const database = await openDatabase({ home, url })
  await migrate(database)
  try {
    await whileBusy(url, 'lock table audit_log in access share mode', (through) =>
      restoreBackup({ home, databaseUrl: through, driver: createStubDriver() }, { file, passphrase }),
    )
    const people = await database.read.selectFrom('users').select('username').execute()
    expect(people.map(({ username }) => username)).toContain(owner.username)
  } finally {
    await database.close()
  }
})
