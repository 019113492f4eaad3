import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceCalls, password, send, startServer, type TestServer, type TestUser, until } from './index.ts'

const mb = 1024 * 1024
const isRoot = process.getuid?.() === 0
let folder: string
let server: TestServer
let admin: TestUser
let owner: TestUser
let application: { id: string }
const { raw, create, act, inState } = instanceCalls(() => ({ server, owner, application }))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forge-disk-'))
  // Only root may mount; anybody else gets a database that takes no more pages, which is a fault made up for the test.
  if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'forge-test', folder])
  server = await startServer({ config: { home: join(folder, 'home'), diskReserve: isRoot ? 16 * mb : 0 } })
  const platform = await server.build.platform()
  ;({ admin, owner } = platform)
  application = await server.build.application(owner, platform.team)
})
afterAll(async () => {
  await server.close()
  if (isRoot) execFileSync('umount', [folder])
  rmSync(folder, { recursive: true })
})

const free = () => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
const filler = () => join(folder, 'filler')

/** Writes until nothing fits, as flows can. */
function fill(): void {
  for (const size of [mb, 4096])
    for (;;)
      try {
        appendFileSync(filler(), Buffer.alloc(size, 1))
      } catch {
        break
      }
}
const signIn = () => send(server.address, 'POST', '/account/login', { body: { username: admin.username, password } })
const get = (path: string, cookie: string) => send(server.address, 'GET', path, { headers: { cookie } })
const reserve = () => readdirSync(join(folder, 'home/reserve')).length
const change = () =>
  raw('PUT', `/${instance}`, { settings: { env: [{ name: 'HEAT', value: '220' }] } }).then(({ status, json }) => ({
    status,
    json,
  }))
let instance: string

test('on a full disk people sign in, read and delete; all else is refused by a sentence until there is room', async () => {
  const { id } = await create('oven')
  const spare = await create('spare')
  instance = id
  await inState(id, 'running')
  if (!isRoot) {
    const { read } = server.app.database
    const { sql } = await import('kysely')
    await sql`pragma max_page_count = 1`.execute(read)
    await until(
      async () => (await raw('POST', `/${id}/import`, { flows: '[]' })).status,
      (status) => status === 507,
    )
    return
  }
  expect(reserve()).toBe(4)
  mkdirSync(join(folder, 'home/backups'), { recursive: true })
  const name = 'flowforge-20260101-000000-abcdef.backup'
  writeFileSync(join(folder, 'home/backups', name), Buffer.alloc(30 * mb, 1))
  fill()
  expect(free()).toBeLessThan(mb)

  await until(
    async () => (await change()).status,
    (status) => status === 507,
  )
  expect(await change()).toMatchObject({
    json: { code: 'disk_full', message: expect.stringContaining('The disk of the platform is full') },
  })
  const signed = await signIn()
  expect(signed.status).toBe(200)
  const cookie = signed.headers.getSetCookie()[0]!.split(';')[0]!
  expect(reserve()).toBe(3)
  expect((await get(`/api/v1/projects/${id}`, cookie)).status).toBe(200)
  expect(await get('/readyz', '')).toMatchObject({ status: 200, json: { disk: 'full' } })
  const { checks } = await admin.client.call('health.check')
  expect(checks.find(({ part }) => part === 'Disk')).toMatchObject({ state: 'error', code: 'DISK03' })
  await act('suspend', id)
  await inState(id, 'suspended')

  fill()
  expect((await raw('DELETE', `/${spare.id}`)).status).toBe(200)
  await until(
    async () => (await get(`/api/v1/projects/${spare.id}`, cookie)).status,
    (status) => status === 404,
  )
  expect((await get(`/api/v1/projects/${id}`, cookie)).status).toBe(200)
  fill()
  const removed = await send(server.address, 'DELETE', `/api/v1/admin/backups/${name}`, { headers: { cookie } })
  expect(removed.status).toBe(200)
  expect(existsSync(join(folder, 'home/backups', name))).toBe(false)
  rmSync(filler())
  await until(
    async () => (await change()).status,
    (status) => status === 200,
    30_000,
  )
  expect(reserve()).toBe(4)
  expect(await get('/readyz', '')).toMatchObject({ status: 200, json: { status: 'ok' } })
})
