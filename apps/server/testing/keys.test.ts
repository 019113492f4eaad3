import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { accountContext, certificateContext, orderContext } from '../src/features/tls/acme.order.ts'
import { keepAccount, keepName, updateCertificate } from '../src/features/tls/acme.store.ts'
import { checkoutContext } from '../src/features/billing/billing.service.ts'
import { requestContext } from '../src/features/devices/commands/requests.store.ts'
import { run } from '../src/cli/run.ts'
import { createVault, masterKey, oneKey, sealedValues } from '../src/platform/crypto.ts'
import { openSnapshot } from '../src/platform/db/snapshot.ts'
import { readKeyFile } from '../src/platform/keys/key.file.ts'
import type { SealedColumn } from '../src/platform/keys/sealed.columns.ts'
import { sealedColumns } from '../src/sealed.columns.ts'
import {
  createFactors,
  freePort,
  instanceCalls,
  send,
  startServer,
  testClock,
  type TestServer,
  until,
  untilJobsEnded,
} from './index.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const postgres = process.env.TEST_DATABASE === 'postgres'
const program = join(import.meta.dirname, '../src/cli/admin.ts')
let server: TestServer
let said: string[]
let children: ChildProcess[]
beforeEach(async () => {
  server = await startServer()
  said = []
  children = []
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await server.close()
})

const envOf = ({ config }: TestServer) => ({
  FORGE_HOME: config.home,
  FORGE_BASE_URL: config.baseUrl,
  FORGE_INSTANCE_UIDS: 'none',
  ...(config.databaseUrl && { FORGE_DATABASE_URL: config.databaseUrl }),
  ...(config.secretKey && { FORGE_SECRET_KEY: config.secretKey.toString('base64') }),
})
const rotate = (env: Record<string, string> = envOf(server)) =>
  run(['rotate-key'], {
    env,
    folder: server.config.home,
    say: (text) => void said.push(text),
    ask: () => Promise.reject(new Error('nothing is asked')),
  })

/** Secrets in every place that the platform has. */
async function bakery() {
  const { owner, team, admin } = await server.build.platform()
  const application = await server.build.application(owner, team)
  const calls = instanceCalls(() => ({ server, owner, application }))
  const instance = await calls.running('oven')
  const { id } = instance
  const settings = { env: [{ name: 'KEY', value: 'secret-of-the-oven', encrypted: true }] }
  expect((await calls.raw('PUT', `/${id}`, { settings })).status).toBe(200)
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const store = (path: string, body: unknown) =>
    send(server.address, 'POST', `/storage/${id}/${path}`, { headers, body })
  expect((await store('flows', [{ id: 'a', type: 'tab' }])).status).toBe(200)
  expect((await store('credentials', { $: 'credentials-of-the-oven' })).status).toBe(200)
  const ofOwner = (method: 'POST' | 'PUT', path: string, body: object) =>
    send(server.address, method, path, { headers: { cookie: owner.cookie }, body })
  expect((await ofOwner('POST', `/api/v1/projects/${id}/snapshots`, { name: 'first' })).status).toBe(200)
  await server.build.setting('user:sso', true)
  const provider = await admin.client.call('sso.create', { body: { name: 'Mill', domainFilter: 'mill.example.com' } })
  // Its metadata names a key, which is made with it.
  expect((await send(server.address, 'GET', `/ee/sso/entity/${provider.id}`)).status).toBe(200)
  const begun = { id: 'begun', providerId: provider.id, browser: 'browser', returnTo: '/', data: { nonce: 'once' } }
  await server.app.services.ssoRequests.begin(begun)
  const template = await send(server.address, 'POST', '/api/v1/templates', {
    headers: { cookie: admin.cookie },
    body: { name: 'secret', settings: { env: [{ name: 'T', value: 'of the template', encrypted: true }] } },
  })
  expect(template.status).toBe(200)
  return { owner, admin, id, instance }
}

/** The settings an instance receives when it asks, as its own process does. */
async function told(at: TestServer, { id, instance }: Awaited<ReturnType<typeof bakery>>) {
  const headers = { authorization: `Bearer ${await at.build.instanceToken(instance)}` }
  const get = async (path: string) => (await send(at.address, 'GET', path, { headers })).json
  return [await get(`/storage/${id}/credentials`), (await get(`/api/v1/projects/${id}/settings`)).env]
}

/** Ids of the keys under which anything in the database is sealed, the keys themselves left out. */
async function keysInUse(): Promise<string[]> {
  const { inflateRawSync } = await import('node:zlib')
  const snapshot = await openSnapshot({ home: server.config.home, url: server.config.databaseUrl })
  const found = new Set<string>()
  for (const table of await snapshot.tables()) {
    if (table.name === 'master_keys') continue
    for await (const rows of snapshot.rows(table))
      for (const value of rows.flat().filter((one) => typeof one === 'string')) {
        const isBlob = table.name === 'blobs' && !/^[0-9a-f]{64}$/.test(value)
        const text = isBlob ? inflateRawSync(Buffer.from(value, 'base64')).toString() : value
        for (const [sealed] of text.matchAll(sealedValues)) found.add(sealed.split('.')[1]!)
      }
  }
  await snapshot.close()
  return [...found]
}

/** Everything that the database of a stopped server holds. */
async function contents(): Promise<Record<string, unknown[][]>> {
  const snapshot = await openSnapshot({ home: server.config.home, url: server.config.databaseUrl })
  const all: Record<string, unknown[][]> = {}
  for (const table of await snapshot.tables()) all[table.name] = (await Array.fromAsync(snapshot.rows(table))).flat()
  await snapshot.close()
  return all
}

const integrity = async () => {
  const { stdout } = await ended(spawnAdmin('audit-verify.ts', []))
  return stdout
}
function spawnAdmin(name: string, args: string[], env: Record<string, string> = envOf(server)) {
  const child = spawn(process.execPath, [join(program, '..', name), ...args], {
    env: { PATH: process.env.PATH!, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}
async function ended(child: ReturnType<typeof spawnAdmin>) {
  let stdout = ''
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()))
  child.stderr.on('data', (part: Buffer) => (stdout += part.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout }
}

test('another key, or none, beside a platform with data is refused with what to do, and nothing is written', async () => {
  const shop = await bakery()
  await server.stop()
  const file = join(server.config.home, 'keys/master.key')
  const right = await readFile(file, 'utf8')
  await rm(file)
  const before = await contents()
  expect([before.master_keys?.length, (before.audit_log ?? []).length > 0]).toEqual([1, true])
  await expect(startServer({ config: server.config })).rejects.toThrow(
    /holds secrets of a master key, and this server has no key\. Put the file .*master\.key .* back/,
  )
  expect(existsSync(file)).toBe(false)
  await expect(startServer({ config: { ...server.config, secretKey: randomBytes(32) } })).rejects.toThrow(
    'The database belongs to another master key than the one of this server',
  )
  expect(existsSync(file)).toBe(false)
  expect(await contents()).toEqual(before)
  await writeFile(file, right)
  server = await startServer({ config: server.config })
  await untilJobsEnded(server.app.database)
  expect((await told(server, shop))[0]).toEqual({ $: 'credentials-of-the-oven' })
})

test('a database of before keys had ids takes a key that opens what is sealed in it, and no other', async () => {
  await bakery()
  await server.app.database.read.deleteFrom('master_keys').execute()
  await server.stop()
  const other = { ...server.config, secretKey: randomBytes(32) }
  await expect(startServer({ config: other })).rejects.toThrow('belongs to another master key')
  server = await startServer({ config: server.config })
  const key = masterKey(readKeyFile(server.config.home)!)
  expect(await server.app.database.read.selectFrom('master_keys').select(['id', 'state']).execute()).toEqual([
    { id: key.id, state: 'current' },
  ])
  await server.stop()
  await expect(startServer({ config: other })).rejects.toThrow('belongs to another master key')
  server = await startServer({ config: server.config })
})

test('a server with a key of its own beside a first one is refused; with the same key it works', async () => {
  const { owner } = await bakery()
  const home = await mkdtemp(join(tmpdir(), 'forge-second-'))
  const { config } = server
  const second = { ...(config.databaseUrl ? { databaseUrl: config.databaseUrl } : {}), home }
  // A copied disk, on the embedded database.
  if (!postgres) await sql`vacuum into ${join(home, 'forge.db')}`.execute(server.app.database.read)
  await expect(startServer({ config: second })).rejects.toThrow('this server has no key')
  expect(existsSync(join(home, 'keys'))).toBe(false)
  await cp(join(config.home, 'keys'), join(home, 'keys'), { recursive: true })
  const two = await startServer({ config: second })
  const headers = { cookie: owner.cookie }
  expect((await send(two.address, 'GET', '/api/v1/user', { headers })).status).toBe(200)
  await two.close()
})

test('the key is replaced while the server runs: everything is under the new one, works on, and the audit log is whole', async () => {
  const shop = await bakery()
  const before = await told(server, shop)
  const former = masterKey(readKeyFile(server.config.home)!)
  expect(await keysInUse()).toEqual([former.id])
  expect(await rotate()).toBe(0)
  expect(said.at(-1)).toMatch(
    /^The master key was replaced, and \d+ secrets were sealed once more\. The new key is in /,
  )
  const now = masterKey(readKeyFile(server.config.home)!)
  expect(now.id).not.toBe(former.id)
  expect(await keysInUse()).toEqual([now.id])
  expect(await told(server, shop)).toEqual(before)
  // Nothing became another version by being sealed once more.
  const versions = () => server.app.database.read.selectFrom('flow_versions').select('id').execute()
  const kept = (await versions()).length
  const store = await send(server.address, 'POST', `/storage/${shop.id}/credentials`, {
    headers: { authorization: `Bearer ${await server.build.instanceToken(shop.instance)}` },
    body: { $: 'credentials-of-the-oven' },
  })
  expect([store.status, (await versions()).length]).toEqual([200, kept])

  expect(await rotate()).toBe(0)
  expect(await keysInUse()).toEqual([masterKey(readKeyFile(server.config.home)!).id])
  await server.app.services.sealer.seal()
  expect(await integrity()).toContain('the audit log is as it was written')
  await server.stop()
  await expect(startServer({ config: { ...server.config, secretKey: former.secret } })).rejects.toThrow(
    'The master key of this platform was replaced, and this server has a former one',
  )
  server = await startServer({ config: server.config })
  await untilJobsEnded(server.app.database)
  expect(await told(server, shop)).toEqual(before)
  const events = await server.app.database.read.selectFrom('audit_log').select('event').execute()
  expect(events.filter(({ event }) => event === 'platform.master-key.replaced')).toHaveLength(2)
})

test('in every place where something is sealed it is under the new key afterwards, and opens there', async () => {
  await server.close()
  // Mail waits, since nobody takes it.
  const mail = { host: '127.0.0.1', port: 1, secure: false, from: 'forge@example.com' }
  const clock = testClock()
  // The broker need not be there for its users to have passwords.
  const broker = { hooksFrom: [], url: 'mqtt://127.0.0.1:1', password: 'of-the-platform-itself' }
  // A certificate authority of the platform itself.
  const tls = { source: { kind: 'local' as const }, host: '127.0.0.1', port: await freePort() }
  server = await startServer({ clock, config: { mail, broker, tls } })
  const { owner, admin, id, instance } = await bakery()
  await createFactors(server, clock).app(owner)
  const { team } = await owner.client.call('instance.get', { params: { instanceId: id } })
  const device = await owner.client.call('device.create', { body: { name: 'Pi', team: team.id } })
  const env = [{ name: 'KEY', value: 'of the device', encrypted: true }]
  await owner.client.call('device.saveSettings', { params: { deviceId: device.id }, body: { env } })
  await server.app.database.read
    .insertInto('billing_checkouts')
    .values({
      id: 'cs',
      team_id: team.id,
      user_id: owner.id,
      url: server.app.services.vault.seal('https://checkout.example.com', checkoutContext('cs')),
      credit: 0,
      credit_given: 0,
      state: 'open',
      created_at: clock.now(),
    })
    .execute()
  const { vault } = server.app.services
  const directory = 'https://acme.example.com/directory'
  const name = 'oven.example.com'
  await server.app.database.transact(async (tx) => {
    await keepAccount(tx, {
      directory,
      email: 'admin@example.com',
      key_sealed: vault.seal('key of an account', accountContext(directory)),
      url: null,
      paused_until: 0,
      created_at: clock.now(),
    })
    await keepName(tx, { name, directory, created_at: clock.now() })
    await updateCertificate(tx, name, {
      key_sealed: vault.seal('key of a certificate', certificateContext(name)),
      order_key_sealed: vault.seal('key of an order', orderContext(name)),
    })
  })
  await server.app.database.read
    .insertInto('device_requests')
    .values({
      id: 'dr',
      device_id: device.id,
      team_id: team.id,
      command: 'startEditor',
      payload: server.app.services.vault.seal('{"token":"of-a-tunnel"}', requestContext('dr')),
      wait_ms: 1000,
      answer: null,
      expires_at: clock.now() + 3_600_000,
    })
    .execute()
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const flows = [{ id: 'b', type: 'tab' }]
  expect((await send(server.address, 'POST', `/storage/${id}/flows`, { headers, body: flows })).status).toBe(200)
  // Makes a backup that goes on until it is let.
  const held = Promise.withResolvers<void>()
  server.driver.files = async function* () {
    await held.promise
    yield* []
  }
  const passphrase = 'four words of mine'
  await admin.client.call('backup.create', { body: { passphrase } })

  const opened = async () => {
    const vault = createVault(oneKey(readKeyFile(server.config.home)!))
    const found = new Map<string, string[]>()
    for (const place of sealedColumns)
      for (const { row, text } of await rowsOf(place)) {
        const texts = place.find(row, text).map(([sealed, context]) => vault.open(sealed, context))
        const name = `${place.table}.${place.column}`
        if (texts.length > 0) found.set(name, [...(found.get(name) ?? []), ...texts].sort())
      }
    return found
  }
  const before = await opened()
  const places = new Set(sealedColumns.map(({ table, column }) => `${table}.${column}`))
  expect([...before.keys()].sort()).toEqual([...places].sort())
  expect(before.get('jobs.payload')).toEqual([passphrase])
  expect(before.get('devices.env')).toEqual([expect.stringContaining('of the device')])
  expect(await rotate()).toBe(0)
  expect(await keysInUse()).toEqual([masterKey(readKeyFile(server.config.home)!).id])
  expect(await opened()).toEqual(before)
  expect((await told(server, { owner, admin, id, instance }))[0]).toEqual({ $: 'credentials-of-the-oven' })
  held.resolve()
  await untilJobsEnded(server.app.database)
})

/** The values in a sealed place, with the rows they belong to. */
async function rowsOf({ table, key, column, isBlob }: SealedColumn) {
  const { inflateRawSync } = await import('node:zlib')
  const columns = [...new Set([...key, column])].map((name) => sql.ref(name))
  const { rows } = await sql<Record<string, string | null>>`select ${sql.join(columns)} from ${sql.table(table)}
    where ${sql.ref(column)} is not null`.execute(server.app.database.read)
  const textOf = async (value: string) => {
    if (!isBlob) return value
    const blob = await sql<{ body: string }>`select body from blobs where hash = ${value}`.execute(
      server.app.database.read,
    )
    return inflateRawSync(Buffer.from(blob.rows[0]!.body, 'base64')).toString()
  }
  return Promise.all(
    rows.map(async (row) => ({ row: row as Record<string, string>, text: await textOf(row[column]!) })),
  )
}

test('a platform without any account takes another key, as after a restore that was cut off', async () => {
  await server.stop()
  const other = randomBytes(32)
  await writeFile(join(server.config.home, 'keys/master.key'), other.toString('base64'))
  server = await startServer({ config: server.config })
  const rows = await server.app.database.read.selectFrom('master_keys').select('id').execute()
  expect(rows).toEqual([{ id: masterKey(other).id }])
})

test('a server of the wrong key ends with a sentence and code 1 before it answers', async () => {
  await bakery()
  await server.stop()
  const child = spawn(process.execPath, [join(program, '../../main.ts')], {
    env: { PATH: process.env.PATH!, ...envOf(server), FORGE_SECRET_KEY: randomBytes(32).toString('base64') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const { code, stdout } = await ended(child)
  expect(code).toBe(1)
  expect(stdout).toContain('The database belongs to another master key than the one of this server. Put the file')
  expect(stdout).not.toContain('    at ')
  server = await startServer({ config: server.config })
})

test('a key from the settings is replaced too, and the settings have to follow before the next start', async () => {
  await server.close()
  const first = randomBytes(32)
  server = await startServer({ config: { secretKey: first } })
  const shop = await bakery()
  const before = await told(server, shop)
  expect(await rotate()).toBe(0)
  expect(said.at(-1)).toContain('Before the next start of any server, put it where FORGE_SECRET_KEY')
  expect(await told(server, shop)).toEqual(before)
  const { admin } = shop
  const health = await admin.client.call('health.check')
  expect(health.checks.find(({ part }) => part === 'Master key')).toMatchObject({ state: 'warning', code: 'KEY02' })
  await server.stop()
  await expect(startServer({ config: server.config })).rejects.toThrow('this server has a former one')
  server = await startServer({ config: { ...server.config, secretKey: readKeyFile(server.config.home)! } })
  await untilJobsEnded(server.app.database)
  expect(await told(server, shop)).toEqual(before)
})

if (postgres)
  test('with two servers both learn the new key, and neither seals or opens in vain at any moment', async () => {
    const shop = await bakery()
    const home = await mkdtemp(join(tmpdir(), 'forge-second-'))
    await cp(join(server.config.home, 'keys'), join(home, 'keys'), { recursive: true })
    const two = await startServer({ config: { databaseUrl: server.config.databaseUrl!, home } })
    const before = await told(server, shop)
    let over = false
    let kept = 0
    // Writes on one and reads on the other while it is under way, as fast as an instance may.
    const traffic = (async () => {
      const headers = { authorization: `Bearer ${await server.build.instanceToken(shop.instance)}` }
      const path = `/storage/${shop.id}/sessions`
      for (let n = 0; !over; n += 1) {
        const [to, from] = n % 2 === 0 ? [server, two] : [two, server]
        const stored = await send(to.address, 'POST', path, { headers, body: { n } })
        if (stored.status === 429) continue
        const read = await send(from.address, 'GET', path, { headers })
        if (read.status === 429) continue
        expect([stored.status, read.status, read.json]).toEqual([200, 200, { n }])
        kept += 1
      }
    })()
    const [code] = await Promise.all([rotate().finally(() => (over = true)), traffic])
    expect(code).toBe(0)
    expect(kept).toBeGreaterThan(10)
    const now = masterKey(readKeyFile(server.config.home)!).id
    expect(await keysInUse()).toEqual([now])
    expect(masterKey(readKeyFile(home)!).id).toBe(now)
    expect(await told(two, shop)).toEqual(before)
    await two.close()
  })

test('killed at any moment, replacing the key is gone on with by the next run, and nothing is lost', async () => {
  const shop = await bakery()
  const before = await told(server, shop)
  const first = masterKey(readKeyFile(server.config.home)!).id
  // Later and later, until one comes through.
  let runs = 0
  for (let done = false; !done; runs += 1) {
    const child = spawnAdmin('admin.ts', ['rotate-key'])
    const over = ended(child)
    const stages = [
      async () => (await server.app.database.read.selectFrom('master_keys').select('id').execute()).length > 1,
      async () =>
        (await server.app.database.read.selectFrom('master_keys').select('handoff').execute()).some(
          ({ handoff }) => handoff !== null,
        ),
      async () => (await keysInUse()).length > 1,
      async () => !(await keysInUse()).includes(first),
    ]
    const stage = stages[runs]
    if (stage) {
      await until(stage, (reached) => reached || child.exitCode !== null)
      child.kill('SIGKILL')
    }
    done = (await over).code === 0
    expect(await told(server, shop)).toEqual(before)
  }
  expect(runs).toBeGreaterThan(1)
  expect(await keysInUse()).toEqual([masterKey(readKeyFile(server.config.home)!).id])
  await server.app.services.sealer.seal()
  expect(await integrity()).toContain('the audit log is as it was written')
  await server.stop()
  server = await startServer({ config: server.config })
  await untilJobsEnded(server.app.database)
  expect(await told(server, shop)).toEqual(before)
})
