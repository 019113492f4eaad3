import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openPlatform, send, testClock, until } from '../../../testing/index.ts'
import { readArchive } from './archive.reader.ts'
import { inspecting } from './archive.visitor.ts'

// The key of each backup is made slowly on purpose, and machines are loaded.
vi.setConfig({ testTimeout: 120_000 })

const passphrase = 'four words of mine'
const clock = testClock()
const metricsToken = 'token-for-the-figures'
const { server, admin } = await openPlatform({
  clock,
  config: { metricsToken, backup: { passphrase, at: '03:30', keep: 2 } },
})

const folder = () => join(server.config.home, 'backups')
const list = () => admin.client.call('backup.list')
const ended = () => until(list, ({ job }) => job?.state === 'done' || job?.state === 'failed', 60_000)
const figures = async () =>
  (await send(server.address, 'GET', '/metrics', { headers: { authorization: `Bearer ${metricsToken}` } })).text
const recorded = async (event: string) =>
  (
    await server.app.database.read
      .selectFrom('audit_log')
      .selectAll()
      .where('event', '=', event)
      .orderBy('id')
      .execute()
  ).map(({ body, username }) => ({ username, ...(JSON.parse(body) as { info: { name: string } }) }))

test('an administrator makes a backup, downloads it, and deletes it; the passphrase stays nowhere', async () => {
  await admin.client.call('backup.create', { body: { passphrase } })
  const { backups, nightly } = await ended()
  expect(nightly).toEqual({ at: '03:30', keep: 2 })
  expect(backups).toMatchObject([
    { name: expect.stringMatching(/^flowforge-.*\.tar\.gz\.age$/), size: expect.any(Number) },
  ])
  const { name, size } = backups[0]!
  const answer = await fetch(`${server.address}/api/v1/admin/backups/${name}`, { headers: { cookie: admin.cookie } })
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(bytes.length).toBe(size)
  expect(bytes.equals(await readFile(join(folder(), name)))).toBe(true)
  expect(await readArchive(join(folder(), name), passphrase, inspecting)).toMatchObject({ instances: 0, files: 0 })
  const jobs = await server.app.database.read.selectFrom('jobs').select('payload').execute()
  expect(jobs.map(({ payload }) => payload)).toEqual(['{}'])

  await admin.client.call('backup.delete', { params: { name } })
  expect((await list()).backups).toEqual([])
  for (const event of ['platform.backup.created', 'platform.backup.downloaded', 'platform.backup.deleted'])
    expect(await recorded(event)).toMatchObject([{ username: admin.username, info: { name } }])
})

test('a file that is no backup is neither given nor deleted, and a short passphrase makes none', async () => {
  await writeFile(join(server.config.home, 'secret'), 'x')
  for (const name of ['..%2Fsecret', 'master.key', 'flowforge-20260101-000000-gone.backup'])
    for (const method of ['GET', 'DELETE'])
      expect(
        (await send(server.address, method, `/api/v1/admin/backups/${name}`, { headers: { cookie: admin.cookie } }))
          .status,
      ).toBe(404)
  const short = { headers: { cookie: admin.cookie }, body: { passphrase: 'short' } }
  expect(await send(server.address, 'POST', '/api/v1/admin/backups', short)).toMatchObject({
    status: 400,
    json: { fields: { passphrase: 'At least 12 characters' } },
  })
})

test('the half of a backup that a killed server left is not listed, and goes when the next one is made', async () => {
  const half = 'flowforge-20260101-000000-abcdef.tar.gz.age.part'
  await writeFile(join(folder(), half), 'half')
  expect((await list()).backups).toEqual([])
  await admin.client.call('backup.create', { body: { passphrase } })
  const { name } = (await ended()).backups[0]!
  expect(await readdir(folder())).toEqual([name])
  await admin.client.call('backup.delete', { params: { name } })
})

test('every night one is made at its time, and older ones go', async () => {
  const { backups } = server.app.services
  for (const day of [1, 2, 3]) {
    clock.turn(86_400_000)
    await backups.nightly(new Date(2026, 0, day, 3, 29))
    await backups.nightly(new Date(2026, 0, day, 3, 30))
    await backups.nightly(new Date(2026, 0, day, 3, 30, 30))
    await ended()
  }
  const made = await recorded('platform.backup.created')
  expect(made.slice(-3).map(({ username }) => username)).toEqual([null, null, null])
  expect((await readdir(folder())).sort()).toEqual(made.slice(-2).map(({ info }) => info.name))
})

test('a nightly backup that was missed is made up for, once', async () => {
  const { backups } = server.app.services
  const before = (await recorded('platform.backup.created')).length
  await backups.makeUp(new Date())
  expect((await recorded('platform.backup.created')).length).toBe(before)
  await backups.makeUp(new Date(Date.now() + 2 * 86_400_000))
  await until(
    () => recorded('platform.backup.created'),
    (all) => all.length === before + 1,
    60_000,
  )
  await ended()
})

test('a folder that cannot be read is a fault in Health, with what mends it', async () => {
  await rm(folder(), { recursive: true })
  await writeFile(folder(), 'in the way')
  const check = async () => (await admin.client.call('health.check')).checks.find(({ part }) => part === 'Backups')
  const seen = expect.stringMatching(/\/backups cannot be read \(ENOTDIR\)\. Give it to the user/) as string
  expect(await check()).toMatchObject({ state: 'error', code: 'BACKUP05', seen })
  await rm(folder())
  await mkdir(folder())
  expect(await check()).not.toMatchObject({ code: 'BACKUP05' })
})

test('a folder that cannot be used is named as the reason', async () => {
  await rm(folder(), { recursive: true })
  await writeFile(folder(), 'in the way')
  await admin.client.call('backup.create', { body: { passphrase } })
  expect((await ended()).job).toMatchObject({
    state: 'failed',
    error: 'The server cannot write to the folder backups of FORGE_HOME: see its owner and rights',
  })
  // A folder in which none can be seen may hold some.
  const sentence = expect.stringMatching(/\/backups cannot be read \(ENOTDIR\)\. Give it to the user/) as string
  expect(await admin.client.call('backup.list')).toMatchObject({ backups: [], unreadable: sentence })
  const { checks } = await admin.client.call('health.check')
  expect(checks.find(({ part }) => part === 'Backups')).toMatchObject({ code: 'BACKUP03', seen: sentence })
  await rm(folder())
  await mkdir(folder())
  expect(await admin.client.call('backup.list')).not.toHaveProperty('unreadable')
})

test('a backup that cannot be written says so, and leaves no half of a file', async () => {
  server.driver.files = () => {
    throw new Error('disk gone')
  }
  const { owner, team } = await server.build.platform()
  await server.build.instance(owner, await server.build.application(owner, team))
  const before = await readdir(folder())
  await admin.client.call('backup.create', { body: { passphrase } })
  expect((await ended()).job).toMatchObject({ state: 'failed', error: 'Something went wrong on the server' })
  expect(await readdir(folder())).toEqual(before)
  expect((await recorded('platform.backup.created')).at(-1)).toMatchObject({ error: { code: 'backup_failed' } })
})

test('a nightly backup that failed is told of by Health and the figures, and tried again with its passphrase', async () => {
  await rm(folder(), { recursive: true })
  await writeFile(folder(), 'in the way')
  server.driver.files = async function* () {
    yield* []
  }
  await server.app.services.backups.nightly(new Date(2027, 0, 1, 3, 30))
  expect(await ended()).toMatchObject({ job: { state: 'failed' }, canRetry: true })
  const health = async () => (await admin.client.call('health.check')).checks.find(({ part }) => part === 'Backups')
  expect(await health()).toMatchObject({
    state: 'warning',
    code: 'BACKUP03',
    seen: expect.stringContaining('folder backups'),
  })
  expect(await figures()).toMatch(/^flowforge_backup_last_success 0$/m)
  await rm(folder())
  const { job } = await list()
  await admin.client.call('job.retry', { params: { jobId: job!.id } })
  const { backups, canRetry } = await ended()
  expect([backups.length, canRetry]).toEqual([1, undefined])
  expect(await readArchive(join(folder(), backups[0]!.name), passphrase, inspecting)).toMatchObject({ files: 0 })
  const text = await figures()
  expect(text).toMatch(/^flowforge_backup_last_success 1$/m)
  expect(text).toContain(`flowforge_backup_newest_size_bytes ${backups[0]!.size}`)
  expect(text).toMatch(/^flowforge_backup_newest_duration_seconds \d/m)
  expect(text).toMatch(/^flowforge_backup_newest_timestamp_seconds \d/m)
})

test('a backup is compared with what it was once a day, and one that was changed is named', async () => {
  const { name } = (await list()).backups[0]!
  const { backups } = server.app.services
  const file = join(folder(), name)
  const bytes = await readFile(file)
  await writeFile(file, bytes.with(1_000, (bytes[1_000]! + 1) % 256))
  await backups.checkDue()
  // It was looked at when it was made.
  expect((await list()).backups[0]).not.toHaveProperty('damage')
  clock.turn(86_400_000)
  await backups.checkDue()
  expect((await list()).backups[0]).toMatchObject({ name, damage: 'The file was changed after it was made' })
  const check = (await admin.client.call('health.check')).checks.find(({ part }) => part === 'Backups')
  expect(check).toMatchObject({ state: 'error', code: 'BACKUP04', seen: expect.stringContaining(name) })
  expect(await figures()).toMatch(/^flowforge_backups_damaged 1$/m)
  await writeFile(file, bytes)
  clock.turn(86_400_000)
  await backups.checkDue()
  expect((await list()).backups[0]).not.toHaveProperty('damage')
})
