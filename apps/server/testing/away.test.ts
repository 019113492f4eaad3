import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, createDatabase, startPostgres } from '../../../tools/test/postgres.ts'
import { password, send, startServer, type TestServer, type TestUser, until } from './index.ts'

/** Not the default. One of them is for short reads. */
const poolSize = 6
let cluster: Cluster
let server: TestServer
let admin: TestUser
let url: string
/** A device, and how its agent and a broker that asks over HTTP call. */
let device: { id: string; token: string; broker: { username: string; password: string } }
const asAgent = (what: string) =>
  send(server.address, 'GET', `/api/v1/devices/${device.id}/live/${what}`, {
    headers: { authorization: `Bearer ${device.token}` },
  })
const asBroker = () => {
  const { username, password: secret } = device.broker
  const body = { clientid: username, username, password: secret }
  return send(server.address, 'POST', '/api/comms/auth/client', { body })
}

beforeAll(async () => {
  cluster = await startPostgres({ durable: false })
  await ask(cluster.url, 'create role app login')
  url = await createDatabase(cluster.url, 'app')
  await ask(url, 'grant all on schema public to app')
  const broker = { url: 'mqtt://127.0.0.1:9', password: 'of-the-platform-itself', hooksFrom: ['loopback'] }
  server = await startServer({ config: { databaseUrl: url.replace('forge@', 'app@'), databasePool: poolSize, broker } })
  const { admin: administrator, owner, team } = await server.build.platform()
  admin = administrator
  const made = await owner.client.call('device.create', { body: { name: 'Oven', type: 'Pi', team: team.id } })
  device = { id: made.id, token: made.credentials.token, broker: made.credentials.broker! }
})
afterAll(async () => {
  await server.close()
  await cluster.stop()
})

async function ask(to: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: to })
  await client.connect()
  await client.query(sql)
  await client.end()
}

const get = (path: string) => send(server.address, 'GET', path, { headers: { cookie: admin.cookie } })
const signIn = () => send(server.address, 'POST', '/account/login', { body: { username: admin.username, password } })
const ready = async () => (await get('/readyz')).json
/** Maximum time until a call is refused, and the time that a busy machine needs to carry a call and its answer. */
const refusedWithinMs = 2_000
const overheadMs = 500

/** The call is refused in time, and the answer says when to try again. */
async function expectRefused(call: () => ReturnType<typeof send>, about: string): Promise<void> {
  const begun = performance.now()
  const answer = await call()
  const took = performance.now() - begun
  expect(answer).toMatchObject({
    status: 503,
    json: { code: 'database_unavailable', message: expect.stringContaining(about) },
  })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(took).toBeLessThan(refusedWithinMs + overheadMs)
}

/** The processes of PostgreSQL: the first one, and each that it started. */
function processes(): number[] {
  const folder = new URL(cluster.url).searchParams.get('host')!
  const first = Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0])
  const parentOf = (pid: string) => {
    try {
      return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
    } catch {
      return 0
    }
  }
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === first)
  return [first, ...others.map(Number)]
}

test('a database that has fallen silent is told within seconds, and used again when it answers', async () => {
  const frozen = processes()
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  try {
    const calls = [() => get('/api/v1/user'), signIn, () => asAgent('state'), () => asAgent('snapshot'), asBroker]
    for (const call of calls) await expectRefused(call, 'does not answer')
    expect(await ready()).toEqual({ status: 'unavailable', reason: 'database' })
  } finally {
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
  }
  await until(ready, (answer) => answer.status === 'ok')
  for (const call of [() => get('/api/v1/user'), () => asAgent('state'), asBroker])
    expect((await call()).status).toBe(200)
})

test('no overlapping query waits longer because of those before it', async () => {
  const { sql } = await import('kysely')
  const { read } = server.app.database
  await until(ready, (answer) => answer.status === 'ok')
  // Every connection of the pool is there, and free.
  await Promise.all(Array.from({ length: poolSize - 1 }, () => sql`select pg_sleep(0.2)`.execute(read)))
  const waits: number[] = []
  const ask = async () => {
    const begun = performance.now()
    await expect(sql`select 1`.execute(read)).rejects.toThrow()
    waits.push(performance.now() - begun)
  }
  const frozen = processes()
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  try {
    await Promise.all(Array.from({ length: poolSize - 1 }, (_, n) => sleep(n * 150).then(ask)))
  } finally {
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
  }
  expect(Math.max(...waits)).toBeLessThan(refusedWithinMs)
})

test('the server opens no more connections than FORGE_DATABASE_POOL says', async () => {
  const { sql } = await import('kysely')
  const { read } = server.app.database
  await until(ready, (answer) => answer.status === 'ok')
  const many = Promise.all(Array.from({ length: 3 * poolSize }, () => sql`select pg_sleep(0.2)`.execute(read)))
  const counted = sql<{ count: number }>`select count(*)::int from pg_stat_activity where usename = 'app'`
  const { rows } = await counted.execute(read)
  await many
  // One more hears the events of other servers.
  expect(rows[0]?.count).toBe(poolSize + 1)
})

test('a query that only takes long is left alone', async () => {
  const { sql } = await import('kysely')
  await expect(sql`select pg_sleep(3)`.execute(server.app.database.read)).resolves.toBeDefined()
})

test('a request for which no connection becomes free is refused in time', async () => {
  const { sql } = await import('kysely')
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('select pg_advisory_lock(1)')
  const waiting = Array.from({ length: poolSize - 1 }, () =>
    sql`select pg_advisory_xact_lock_shared(1)`.execute(server.app.database.read),
  )
  try {
    await until(
      async () => (await holder.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).rowCount,
      (count) => count === waiting.length,
    )
    await expectRefused(signIn, 'does not answer')
    // The first opens the connection of short reads again, where nobody has used it for a while.
    await expect.poll(async () => (await get('/api/v1/user')).status).toBe(200)
  } finally {
    await holder.end()
    await Promise.allSettled(waiting)
  }
  expect((await get('/api/v1/user')).status).toBe(200)
})

test('a database that takes no writes, as after a failover to a standby, is told at once', async () => {
  const turn = async (to: 'on' | 'off') => {
    await ask(url, `alter role app set default_transaction_read_only = ${to}`)
    await ask(url, `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`)
  }
  await turn('on')
  await until(ready, (answer) => answer.reason === 'database_read_only')
  expect((await get('/readyz')).status).toBe(503)
  await expectRefused(signIn, 'read-only')
  expect((await get('/api/v1/user')).status).toBe(200)
  const { checks } = (
    await send(server.address, 'POST', '/api/v1/admin/health', {
      headers: { cookie: admin.cookie },
    })
  ).json as { checks: { part: string; code?: string }[] }
  expect(checks.find(({ part }) => part === 'Database')).toMatchObject({ code: 'DB03' })
  await turn('off')
  await until(ready, (answer) => answer.status === 'ok')
  expect((await signIn()).status).toBe(200)
})

test('with fewer connections than the pool wants, requests wait for one, and none is told a defect', async () => {
  await ask(url, `alter role app connection limit 4`)
  await ask(url, `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`)
  await until(ready, (answer) => answer.status === 'ok')
  const answers = await Promise.all(Array.from({ length: 200 }, () => get('/api/v1/user')))
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
  expect(answers.some(({ status }) => status === 200)).toBe(true)
  await ask(url, `alter role app connection limit 0`)
  await ask(url, `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`)
  await until(
    () => get('/api/v1/user'),
    ({ status }) => status === 503,
  )
  for (const call of [() => get('/api/v1/user'), () => asAgent('state'), asBroker])
    await expectRefused(call, 'does not answer')
  await ask(url, `alter role app connection limit -1`)
  await until(ready, (answer) => answer.status === 'ok')
})
