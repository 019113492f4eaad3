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
import { expect, onTestFinished, test } from 'vitest'
import { instanceCalls, password, send, startServer, type TestServer, type TestUser, until } from './index.ts'

const mb = 1024 * 1024
let folder: string
let server: TestServer
let owner: TestUser
let application: { id: string }
const { raw, create, act, inState } = instanceCalls(() => ({ server, owner, application }))

/** A server with its home on a small disk. Only root may mount one. */
async function openServer(): Promise<TestUser> {
  folder = mkdtempSync(join(tmpdir(), 'forge-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'forge-test', folder])
  onTestFinished(() => {
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true })
  })
  server = await startServer({ config: { home: join(folder, 'home'), diskReserve: 16 * mb } })
  onTestFinished(() => server.close())
  const platform = await server.build.platform()
  owner = platform.owner
  application = await server.build.application(owner, platform.team)
  return platform.admin
}

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
const get = (path: string, cookie: string) => send(server.address, 'GET', path, { headers: { cookie } })
const reserve = () => readdirSync(join(folder, 'home/reserve')).length

test.runIf(process.getuid?.() === 0)(
  'on a full disk people sign in, read and delete; all else is refused by a sentence until there is room',
  async () => {
    const admin = await openServer()
    const { id } = await create('oven')
    const spare = await create('spare')
    const change = async () => {
      const settings = { env: [{ name: 'HEAT', value: '220' }] }
      const { status, json } = await raw('PUT', `/${id}`, { settings })
      return { status, json }
    }
    await inState(id, 'running')
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
    const body = { username: admin.username, password }
    const signed = await send(server.address, 'POST', '/account/login', { body })
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
  },
)
