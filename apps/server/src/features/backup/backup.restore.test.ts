import type { Instance } from '@app/contract'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  clientWith,
  createStubDriver,
  instanceCalls,
  password,
  send,
  startServer,
  type TestServer,
  type TestUser,
} from '../../../testing/index.ts'
import { createDatabase } from '../../../../../tools/test/postgres.ts'
import { readKeyFile } from '../../platform/keys/key.file.ts'
import { openDatabase } from '../../platform/db/database.ts'
import { listMigrations, migrate } from '../../platform/db/migrate.ts'
import { openSnapshot } from '../../platform/db/snapshot.ts'
import { backupRules } from '../../backup.rules.ts'
import { makeBackup, restoreBackup } from './index.ts'

// The key of each backup is made slowly on purpose, and machines are loaded.
vi.setConfig({ testTimeout: 120_000 })

const passphrase = 'a long passphrase of somebody'
const postgres = process.env.TEST_DATABASE === 'postgres'
/** Without PostgreSQL there is nothing to cross over to; with it the embedded database is always there as well. */
const pairs: ['sqlite' | 'postgres', 'sqlite' | 'postgres'][] = postgres
  ? [
      ['postgres', 'postgres'],
      ['postgres', 'sqlite'],
      ['sqlite', 'postgres'],
    ]
  : [['sqlite', 'sqlite']]
const flows = [{ id: 'tab', type: 'tab', label: 'Bread — größer 🥐' }]

let folder: string
const opened: TestServer[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forge-backup-'))
})
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
  await rm(folder, { recursive: true, force: true })
})

const urlFor = async (kind: 'sqlite' | 'postgres') =>
  kind === 'postgres' ? createDatabase(process.env.TEST_POSTGRES_URL!) : ''
const start = async (options: Parameters<typeof startServer>[0]) => {
  const server = await startServer(options)
  opened.push(server)
  return server
}
const oven = { path: 'data/öfen.txt', mode: 0o640, bytes: randomBytes(200_000) }

/** A platform with a running instance that has flows, credentials, secret variables and a file. */
async function bakery(kind: 'sqlite' | 'postgres') {
  const driver = createStubDriver()
  const server = await start({ config: { databaseUrl: await urlFor(kind) }, driver: () => driver })
  const { owner, team, admin } = await server.build.platform()
  const application = await server.build.application(owner, team)
  const calls = instanceCalls(() => ({ server, owner, application }))
  const instance = await calls.running('oven')
  const asleep = await calls.running('cold')
  await calls.act('suspend', asleep.id)
  await calls.inState(asleep.id, 'suspended')
  driver.script.writeFile(instance.id, oven)
  const settings = {
    env: [
      { name: 'KEY', value: 'secret-of-the-oven', encrypted: true },
      { name: 'PLAIN', value: 'x' },
    ],
  }
  expect((await calls.raw('PUT', `/${instance.id}`, { settings })).status).toBe(200)
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const store = (path: string, body: unknown) =>
    send(server.address, 'POST', `/storage/${instance.id}/${path}`, { headers, body })
  expect((await store('flows', flows)).status).toBe(200)
  expect((await store('credentials', { $: 'credentials-of-the-oven' })).status).toBe(200)
  const file = join(folder, 'platform.backup')
  const source = {
    home: server.config.home,
    databaseUrl: server.config.databaseUrl || undefined,
    driver: server.driver,
    masterKey: readKeyFile(server.config.home)!,
    rules: backupRules,
    version: '1.2.3',
  }
  return { server, owner, admin, instance, asleep, file, source }
}

/** The settings the instance receives when it asks, as its own process does. */
async function told(server: TestServer, instance: Instance) {
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const get = async (path: string) => (await send(server.address, 'GET', path, { headers })).json
  return {
    flows: await get(`/storage/${instance.id}/flows`),
    credentials: await get(`/storage/${instance.id}/credentials`),
    settings: (await get(`/api/v1/projects/${instance.id}/settings`)).env,
  }
}

/** All that a platform has in its database, apart from what a backup leaves out. */
async function rowsOf({ config }: TestServer): Promise<Record<string, number>> {
  const snapshot = await openSnapshot({ home: config.home, url: config.databaseUrl || undefined })
  const counts: Record<string, number> = {}
  for (const table of await snapshot.tables()) {
    if (backupRules.leaveOut.includes(table.name)) continue
    counts[table.name] = 0
    for await (const rows of snapshot.rows(table)) counts[table.name]! += rows.length
  }
  await snapshot.close()
  return counts
}

test.each(pairs)(
  'a backup from %s is restored on %s: people, flows, secrets, files, and instances that run again',
  async (from, to) => {
    const { server, owner, instance, asleep, file, source } = await bakery(from)
    const before = { told: await told(server, instance), rows: await rowsOf(server) }
    const made = await makeBackup(source, { file, passphrase })
    expect(made).toMatchObject({ files: 1, instances: 2 })
    const bytes = await readFile(file)
    for (const secret of ['secret-of-the-oven', 'user-1', source.masterKey.toString('base64')])
      expect(bytes.includes(secret)).toBe(false)
    await server.stop()

    const home = await mkdtemp(join(folder, 'home-'))
    const databaseUrl = await urlFor(to)
    const driver = createStubDriver()
    const restored = await restoreBackup({ home, databaseUrl: databaseUrl || undefined, driver }, { file, passphrase })
    expect(restored).toMatchObject({ ...made, manifest: { version: '1.2.3' } })
    const next = await start({ config: { home, databaseUrl }, driver: () => driver })
    const signIn = await send(next.address, 'POST', '/account/login', { body: { username: owner.username, password } })
    expect(signIn.status).toBe(200)
    const calls = instanceCalls(() => ({
      server: next,
      owner: again(next, owner, signIn.headers),
      application: { id: '' },
    }))
    await calls.inState(instance.id, 'running')
    await calls.inState(asleep.id, 'suspended')
    const { settings, ...stored } = await told(next, instance)
    const { settings: formerly, ...wasStored } = before.told
    expect(stored).toEqual(wasStored)
    expect(stored.flows).toEqual(flows)
    expect(settings).toMatchObject({ KEY: 'secret-of-the-oven', PLAIN: 'x' })
    expect(Object.keys(settings as object)).toEqual(Object.keys(formerly as object))
    const [put] = await Array.fromAsync(driver.files(instance.id))
    expect([put?.path, put?.mode]).toEqual([oven.path, oven.mode])
    expect(Buffer.concat(await Array.fromAsync(put!.content)).equals(oven.bytes)).toBe(true)
    // New entries of the log go on where the old ones ended, a while later they are sealed, a platform counts what it has
    // when it starts, and the browser of the sign-in above is known.
    const grown = ['audit_log', 'audit_counts', 'audit_checkpoints', 'jobs', 'tokens', 'stats_points', 'known_browsers']
    const same = Object.entries(await rowsOf(next)).filter(([table]) => !grown.includes(table))
    expect(before.rows).toMatchObject(Object.fromEntries(same))
    expect(Object.keys(await rowsOf(next))).toEqual(Object.keys(before.rows))
  },
)

function again(server: TestServer, { id, username }: TestUser, headers: Headers): TestUser {
  const cookie = headers.getSetCookie()[0]!.split(';')[0]!
  return { id, username, cookie, client: clientWith(server.address, 'cookie', cookie) }
}

test('a backup that cannot be restored is refused before anything is touched', async () => {
  const { server, file, source } = await bakery(postgres ? 'postgres' : 'sqlite')
  await makeBackup(source, { file, passphrase })
  const bytes = await readFile(file)
  const home = await mkdtemp(join(folder, 'home-'))
  const target = { home, driver: createStubDriver() }
  const attempt = (given: Buffer, phrase = passphrase) =>
    writeFile(join(folder, 'given'), given).then(() =>
      restoreBackup(target, { file: join(folder, 'given'), passphrase: phrase }),
    )
  await expect(attempt(bytes, 'not this one at all')).rejects.toThrow('The passphrase is not the one of this backup')
  await expect(attempt(bytes.subarray(0, bytes.length - 20))).rejects.toThrow('damaged or incomplete')
  const changed = Buffer.from(bytes)
  changed[bytes.length >> 1]! ^= 4
  await expect(attempt(changed)).rejects.toThrow('damaged or incomplete')
  await expect(attempt(Buffer.from('no backup'))).rejects.toThrow('This is not a backup')
  const keyed = { ...target, secretKey: randomBytes(32) }
  await expect(restoreBackup(keyed, { file, passphrase })).rejects.toThrow('FORGE_SECRET_KEY is set to another key')
  const busy = { ...target, driver: server.driver }
  await expect(restoreBackup(busy, { file, passphrase })).rejects.toThrow('Instances of another platform run')
  expect(await readdir(home)).toEqual([])

  // A platform with people is left as it is, and so is one when the backup is of a version to come.
  const { audit_checkpoints: _sealed, ...rows } = await rowsOf(server)
  const full = { home: server.config.home, databaseUrl: source.databaseUrl, driver: createStubDriver() }
  await expect(restoreBackup(full, { file, passphrase })).rejects.toThrow('This platform is not empty')
  expect(await rowsOf(server)).toMatchObject(rows)
  const migrations = server.app.database.read as unknown as Kysely<{ migrations: { name: string; applied_at: number } }>
  await migrations.insertInto('migrations').values({ name: '9999-later.ts', applied_at: 0 }).execute()
  await makeBackup(source, { file, passphrase })
  await expect(restoreBackup(target, { file, passphrase })).rejects.toThrow('made by a newer version')
  expect(await readdir(home)).toEqual([])
})

test('a backup of an older version goes through the steps of the schema that have come since', async () => {
  const home = await mkdtemp(join(folder, 'old-'))
  const url = (await urlFor(postgres ? 'postgres' : 'sqlite')) || undefined
  const old = await openDatabase({ home, url })
  const steps = (await listMigrations()).slice(0, 4)
  await migrate(old, undefined, new Set(steps))
  await sql`insert into users (id, username, username_key, name, email, email_key, password_hash, admin, email_verified,
    suspended, password_expired, created_at, updated_at)
    values ('u', 'alice', 'alice', 'Alice', 'a@example.com', 'a@example.com', '', 1, 1, 0, 0, 0, 0)`.execute(old.read)
  await old.close()
  const [driver, file] = [createStubDriver(), join(folder, 'old.backup')]
  const masterKey = randomBytes(32)
  await makeBackup(
    { home, databaseUrl: url, driver, masterKey, version: '0.1.0', rules: backupRules },
    { file, passphrase },
  )
  const next = {
    home: join(folder, 'next'),
    databaseUrl: (await urlFor(postgres ? 'postgres' : 'sqlite')) || undefined,
  }
  // A first start sets the database up for the version of today.
  const first = await startServer({ config: { ...next, databaseUrl: next.databaseUrl ?? '' } })
  await first.stop()
  const attempt = () =>
    restoreBackup({ ...next, driver }, { file, passphrase }).then(
      () => 'restored',
      (error: Error) => error.message,
    )
  // In a PostgreSQL database nothing is dropped that might be somebody else's.
  expect(await attempt()).toContain(
    postgres ? 'from an older version, and the database was already set up' : 'restored',
  )
  if (postgres) next.databaseUrl = await urlFor('postgres')
  expect(postgres ? await attempt() : 'restored').toBe('restored')
  const database = await openDatabase({ home: next.home, url: next.databaseUrl })
  expect(await migrate(database)).toEqual([])
  const users = await database.read.selectFrom('users').select(['username', 'second_factor']).execute()
  await database.close()
  expect(users).toEqual([{ username: 'alice', second_factor: 0 }])
})

test('a restore that fails half-way leaves an empty platform, on which it is done again', async () => {
  const { file, source } = await bakery(postgres ? 'postgres' : 'sqlite')
  await makeBackup(source, { file, passphrase })
  const home = join(folder, 'fresh')
  const databaseUrl = await urlFor(postgres ? 'postgres' : 'sqlite')
  const first = await startServer({ config: { home, databaseUrl } })
  await first.stop()
  const made = await readFile(join(home, 'keys/master.key'), 'utf8')
  const target = { home, databaseUrl: databaseUrl || undefined, driver: createStubDriver() }
  const failing = { ...target.driver, putFiles: () => Promise.reject(new Error('disk full')) }
  await expect(restoreBackup({ ...target, driver: failing }, { file, passphrase })).rejects.toThrow('disk full')
  expect(await readFile(join(home, 'keys/master.key'), 'utf8')).toBe(made)
  await restoreBackup(target, { file, passphrase })
  expect(await readFile(join(home, 'keys/master.key'), 'utf8')).toBe(source.masterKey.toString('base64'))
  const kept = (await readdir(join(home, 'keys'))).find((name) => name.includes('before-restore'))
  expect(await readFile(join(home, 'keys', kept!), 'utf8')).toBe(made)
})

test('what a backup leaves out are tables that exist', async () => {
  const server = await start({})
  const snapshot = await openSnapshot({ home: server.config.home, url: server.config.databaseUrl || undefined })
  const names = (await snapshot.tables()).map(({ name }) => name)
  await snapshot.close()
  expect(backupRules.leaveOut.filter((name) => !names.includes(name))).toEqual([])
})
