import { healthCodes, type HealthCheck } from '@app/contract'
import { DriverError } from '@app/drivers'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createStubDriver, openWorkshop, send, startServer, testClock, until } from '../../../testing/index.ts'
import { judgeBackups } from '../backup/index.ts'
import { checkMail } from '../mail/index.ts'
import { checkAddress, checkCookies, checkNames } from './address.checks.ts'
import { checkCertificate, judgeCertificate } from './certificate.checks.ts'
import {
  checkClock,
  checkDatabase,
  checkDescriptors,
  driverChecks,
  judgeAnswer,
  judgeDescriptors,
  judgeDisk,
  judgeKey,
} from './machine.checks.ts'

const clock = testClock()
const metricsToken = 'token-for-the-figures'
const { server, admin, owner, script, running, inState, create, act, settled, read } = await openWorkshop({
  clock,
  config: { metricsToken },
})
let close: (() => void) | undefined
afterEach(() => close?.())

const check = async () => new Map((await admin.client.call('health.check')).checks.map((one) => [one.part, one]))
const get = (path: string, headers: Record<string, string> = {}) => send(server.address, 'GET', path, { headers })

/** A server that answers every request with this. */
async function answering(status: number, body: string): Promise<string> {
  const other = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  close = () => void other.close()
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`
}

test('a platform that does well says so of every part, and each code is known', async () => {
  await running()
  const parts = await check()
  expect([...parts.keys()].slice(0, 6)).toEqual(['Database', 'Disk', 'Open files', 'Jobs', 'Servers', 'Instances'])
  const states = Object.fromEntries([...parts].map(([part, { state }]) => [part, state]))
  expect(states).toMatchObject({
    Database: 'ok',
    Jobs: 'ok',
    Instances: 'ok',
    'Public address': 'ok',
    'Names of instances': 'ok',
    Certificate: 'off',
    Cookies: 'off',
    Mail: 'off',
    Registry: 'ok',
    Clock: 'ok',
    'Standby processes': 'off',
    'Process isolation': 'warning',
  })
  expect(parts.get('Process isolation')).toMatchObject({
    code: 'DRV01',
    seen: expect.stringContaining('made up for tests'),
  })
  const codes = [...parts.values()].flatMap(({ code }) => code ?? [])
  expect(codes.filter((code) => !(code in healthCodes))).toEqual([])
  const page = readFileSync(new URL('../../../../../docs/health.md', import.meta.url), 'utf8')
  for (const [code, { means }] of Object.entries(healthCodes)) expect(page).toContain(`\`${code}\` | ${means}`)
})

test('the health that was found counts for a minute, then it is checked anew', async () => {
  const first = await admin.client.call('health.get')
  clock.turn(30_000)
  expect(await admin.client.call('health.get')).toEqual(first)
  clock.turn(31_000)
  expect((await admin.client.call('health.get')).checkedAt).not.toBe(first.checkedAt)
})

test('a part that cannot be looked at is shown as such, and the others as ever', async () => {
  const { health } = server.driver
  server.driver.health = async () => {
    throw new Error('broken at /some/path')
  }
  const parts = await check()
  expect(parts.get('Registry')).toEqual({
    part: 'Registry',
    state: 'error',
    code: 'CHECK01',
    seen: 'This check could not run.',
  })
  expect(parts.get('Database')?.state).toBe('ok')
  server.driver.health = async () => ({
    registry: { reachable: false, reason: 'No route' },
    warm: { waiting: 0, wanted: 2 },
  })
  expect((await check()).get('Registry')?.code).toBe('REG01')
  const uptime = (seconds: number) => driverChecks(server.driver, () => seconds).warm()
  expect([codeOf(await uptime(60)), codeOf(await uptime(3_600))]).toEqual([
    ['ok', undefined],
    ['warning', 'WARM01'],
  ])
  server.driver.health = health
})

test('instances that still run without the isolation of later ones are counted', async () => {
  const { health, capabilities } = server.driver
  onTestFinished(() => void Object.assign(server.driver, { health, capabilities }))
  const walled = (unwalled: number) =>
    Object.assign(server.driver, { capabilities: { ...capabilities, gaps: [] }, health: async () => ({ unwalled }) })
  walled(2)
  expect((await check()).get('Process isolation')).toMatchObject({
    state: 'warning',
    code: 'DRV03',
    seen: '2 instances started before isolation was available, and run without it.',
  })
  walled(0)
  expect((await check()).get('Process isolation')).toMatchObject({ state: 'ok' })
})

test('an engine of containers that does not answer is an error with its reason', async () => {
  const { health } = server.driver
  onTestFinished(() => void Object.assign(server.driver, { health }))
  server.driver.health = async () => ({ engine: { reachable: false, reason: 'No engine answers at /run/engine' } })
  expect((await check()).get('Process isolation')).toMatchObject({
    state: 'error',
    code: 'DRV04',
    seen: 'No engine answers at /run/engine.',
  })
})

test.skipIf(process.env.TEST_DATABASE === 'postgres')(
  'a damaged page of the embedded database is found, and not backed up',
  async () => {
    const own = await startServer({ clock })
    onTestFinished(() => own.close())
    const { admin: person } = await own.build.platform()
    const { read } = own.app.database
    const { rows } = await sql<{ rootpage: number }>`select rootpage from sqlite_master where name = 'devices'`.execute(
      read,
    )
    await sql`pragma wal_checkpoint(truncate)`.execute(read)
    const file = openSync(join(own.config.home, 'forge.db'), 'r+')
    writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, (rows[0]!.rootpage - 1) * 4096)
    closeSync(file)
    const { checks } = await person.client.call('health.check')
    expect(checks.find(({ part }) => part === 'Database')).toMatchObject({ state: 'error', code: 'DB04' })
    await person.client.call('backup.create', { body: { passphrase: 'four words of mine' } })
    const { job, backups } = await until(
      () => person.client.call('backup.list'),
      (list) => list.job?.state === 'failed',
    )
    expect(job?.error).toContain('The database is damaged, so no backup was made')
    expect(backups).toEqual([])
  },
)

test('an instance that should run and does not is counted', async () => {
  const instance = await running()
  script().crash(instance.id)
  await inState(instance.id, 'crashed')
  expect((await check()).get('Instances')).toMatchObject({ state: 'warning', code: 'DRV02' })
  await act('restart', instance.id)
  await inState(instance.id, 'running')
})

const codeOf = ({ state, code }: Omit<HealthCheck, 'part'>) => [state, code]
test.each([
  [{ free: 100e9, total: 200e9 }, ['ok', undefined]],
  [{ free: 1e9, total: 200e9 }, ['error', 'DISK01']],
  [{ free: 1.5e9, total: 20e9 }, ['warning', 'DISK02']],
  [{ free: 1e8, total: 1e9 }, ['error', 'DISK01']],
])('disk %o: %o', (space, expected) => expect(codeOf(judgeDisk(space))).toEqual(expected))

test('backups: none, a recent one, an old one, and one that the nights left out', () => {
  const day = 86_400_000
  const judge = (days: number | undefined, isNightly: boolean) =>
    judgeBackups({ ...(days !== undefined && { newest: 100 * day - days * day }), isNightly }, 100 * day).code
  expect([judge(undefined, false), judge(1, false), judge(8, false)]).toEqual(['BACKUP01', undefined, 'BACKUP01'])
  expect([judge(undefined, true), judge(1, true), judge(3, true)]).toEqual([undefined, undefined, 'BACKUP02'])
})

test('backups: a folder that nobody can look into does not mean that there is none', () => {
  const unreadable = '/srv/backups cannot be read (EACCES)'
  expect(judgeBackups({ isNightly: true, unreadable }, 0)).toEqual({
    state: 'error',
    code: 'BACKUP05',
    seen: `${unreadable}.`,
  })
})

test('backups: a damaged one, and one that failed', () => {
  const of = { newest: 0, isNightly: true }
  expect(judgeBackups({ ...of, damaged: ['a.backup'] }, 1)).toMatchObject({ state: 'error', code: 'BACKUP04' })
  const failed = { at: '2026-01-02T03:04:05Z', reason: 'The disk is full' }
  expect(judgeBackups({ ...of, failed }, 1)).toMatchObject({
    code: 'BACKUP03',
    seen: 'The last one failed at 2026-01-02 03:04 UTC: The disk is full. The newest is of 1970-01-01 00:00 UTC.',
  })
})

test.each([
  [{ open: 100, most: 1_000 }, ['ok', undefined]],
  [{ open: 800, most: 1_000 }, ['warning', 'FD01']],
  [{ open: 1_000, most: 1_000 }, ['error', 'FD01']],
])('open files %o: %o', (counted, expected) => expect(codeOf(judgeDescriptors(counted))).toEqual(expected))

test('the files that this server has open are counted', async () => {
  expect((await checkDescriptors()).seen).toMatch(/^\d+ of \d+ files and connections are open\.$/)
})

test('certificates: valid, soon over, over, and not trusted', () => {
  const day = 86_400_000
  const judge = (days: number, fault = '', lived = 200) =>
    codeOf(judgeCertificate({ fault, validFrom: -lived * day, expiresAt: days * day }, 0))
  expect([judge(31), judge(29), judge(2), judge(-1), judge(60, 'CERT_REVOKED')]).toEqual([
    ['ok', undefined],
    ['warning', 'TLS02'],
    ['error', 'TLS02'],
    ['error', 'TLS03'],
    ['error', 'TLS03'],
  ])
  expect(judge(60, 'SELF_SIGNED_CERT_IN_CHAIN')).toEqual(['warning', 'TLS05'])
  // A certificate for six days is warned of when a third of it is left, as thirty of ninety.
  expect([judge(2.1, '', 3.9), judge(1.9, '', 4.1)]).toEqual([
    ['ok', undefined],
    ['warning', 'TLS02'],
  ])
})

test.each([
  ['http://forge.test', 'forge.test', 'warning'],
  ['http://forge.test:3000', 'apps.forge.test:3000', 'warning'],
  ['http://forge.example.com', 'example.com', 'warning'],
  ['http://forge.example.com', 'apps.example.com', 'warning'],
  ['http://forge.example.com', 'apps.example.net', 'ok'],
  ['http://forge', 'forge', 'ok'],
  ['http://10.0.0.7', 'apps.example.com', 'ok'],
  ['https://forge.example.com', 'forge.example.com', 'ok'],
  ['http://localhost:3000', 'localhost:3000', 'off'],
])('cookies of pages below %s and of instances below %s: %s', async (baseUrl, domain, state) => {
  const code = state === 'warning' ? 'TLS04' : undefined
  expect(codeOf(await checkCookies(baseUrl, domain))).toEqual([state, code])
})

test('a public address without encryption is warned of, and one of this machine is not', async () => {
  expect(codeOf(await checkCertificate('http://forge.example.com'))).toEqual(['warning', 'TLS01'])
  expect(codeOf(await checkCertificate('http://localhost:3000'))).toEqual(['off', undefined])
})

test.each([
  [{ isReplacing: true, isOutdated: false }, ['warning', 'KEY01']],
  [{ isReplacing: false, isOutdated: true }, ['warning', 'KEY02']],
  [{ isReplacing: false, isOutdated: false }, ['ok', undefined]],
])('master key %o: %o', (found, expected) => expect(codeOf(judgeKey(found))).toEqual(expected))

test('the public address: nobody there, somebody else there, no WebSocket, and names that lead elsewhere', async () => {
  expect(codeOf(await checkAddress('http://127.0.0.1:1'))).toEqual(['error', 'ADDR01'])
  expect(codeOf(await checkAddress(await answering(200, 'hello')))).toEqual(['error', 'ADDR01'])
  close?.()
  expect(codeOf(await checkAddress(await answering(200, '{"status":"ok"}')))).toEqual(['error', 'ADDR02'])
  expect(codeOf(await checkNames('http://forge.invalid', 'apps.invalid'))).toEqual(['error', 'ADDR03'])
  expect(codeOf(await checkAddress('https://forge.invalid'))).toEqual(['error', 'ADDR05'])
  expect(await checkCertificate('https://forge.invalid')).toMatchObject({ state: 'off' })
  const { port } = server.config
  expect(codeOf(await checkAddress(`http://localhost:${port}`))).toEqual(['ok', undefined])
})

test('mail that is not taken, and a mail server that is not there', async () => {
  const url = new URL(await answering(200, ''))
  const there = { host: url.hostname, port: Number(url.port) }
  expect(codeOf(await checkMail({ waiting: 0 }))).toEqual(['off', 'MAIL01'])
  expect(codeOf(await checkMail({ server: there, waiting: 0 }))).toEqual(['ok', undefined])
  expect(codeOf(await checkMail({ server: there, waiting: 2 }))).toEqual(['warning', 'MAIL02'])
  expect(codeOf(await checkMail({ server: { host: '127.0.0.1', port: 1 }, waiting: 0 }))).toEqual(['error', 'MAIL03'])
})

test('a clock that was turned, and a database that is gone', async () => {
  const { database } = server.app
  const turned = await checkClock(database, () => Date.now() + 60_000)
  expect(turned.code).toBe(database.kind === 'postgres' ? 'TIME01' : 'TIME02')
  const gone = { ...database, read: undefined as never }
  expect(codeOf(await checkDatabase(gone))).toEqual(['error', 'DB01'])
  expect(codeOf(judgeAnswer('PostgreSQL', 250))).toEqual(['ok', undefined])
  expect(judgeAnswer('PostgreSQL', 251)).toMatchObject({ code: 'DB02', seen: 'PostgreSQL answers in 251 ms.' })
})

test('[GET /livez] [GET /readyz] answer anybody; figures answer only who has their token', async () => {
  expect(await get('/livez')).toMatchObject({ status: 200, json: { status: 'ok' } })
  expect(await get('/readyz')).toMatchObject({ status: 200, json: { status: 'ok' } })
  expect((await get('/metrics')).status).toBe(401)
  expect((await get('/metrics', { authorization: 'Bearer no' })).status).toBe(401)
  expect((await get('/metrics', { cookie: admin.cookie })).status).toBe(401)
  await get(`/api/v1/teams/${crypto.randomUUID()}`, { cookie: owner.cookie })
  await get(`/any/${crypto.randomUUID()}`)
  const { text, headers } = await get('/metrics', { authorization: `Bearer ${metricsToken}` })
  expect(headers.get('content-type')).toContain('text/plain; version=0.0.4')
  expect(text).toMatch(
    /^flowforge_http_requests_total\{route="\/api\/v1\/teams\/:teamId",method="GET",status="4xx"\} \d+$/m,
  )
  expect(text).toMatch(/^flowforge_http_requests_total\{route="other",method="any",status="4xx"\} \d+$/m)
  expect(text).toMatch(/^flowforge_http_request_duration_seconds_bucket\{le="\+Inf"\} \d+$/m)
  expect(text).toMatch(/^flowforge_instances\{state="running"\} \d+$/m)
  expect(text).toMatch(/^flowforge_database_up 1$/m)
  for (const state of ['queued', 'running', 'failed'])
    expect(text).toMatch(new RegExp(`^flowforge_jobs{state="${state}"} \\d+$`, 'm'))
  expect(text).toMatch(/^flowforge_jobs_oldest_queued_seconds 0$/m)
  for (const result of ['sent', 'postponed', 'given_up'])
    expect(text).toContain(`flowforge_mails_total{result="${result}"} 0`)
  expect(text).toMatch(/^flowforge_mails_waiting 0$/m)
  expect(text).toMatch(/^flowforge_backups_damaged 0$/m)
  expect(text).not.toContain(metricsToken)
  for (const line of text.trimEnd().split(/\n+/))
    expect(line).toMatch(/^(# (HELP|TYPE) [a-z_0-9]+ .+|[a-z_0-9]+(\{([a-z]+="[^"\n]*",?)+\})? [-0-9.e+]+)$/)
})

/** There is none of these before the first backup, or without TLS. */
const laterFigures = [
  'flowforge_backup_last_success',
  'flowforge_backup_newest_timestamp_seconds',
  'flowforge_certificate_expiry_timestamp_seconds',
]

test('the dashboard for Grafana asks for figures that there are, by labels that they have', async () => {
  const { text } = await get('/metrics', { authorization: `Bearer ${metricsToken}` })
  const file = new URL('../../../../../docs/grafana.json', import.meta.url)
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: { targets: { expr: string }[] }[] }
  const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  expect(asked.length).toBeGreaterThan(10)
  for (const expr of asked) {
    // The target is named by Prometheus, in the label job.
    const [, name = ''] = /([a-z_0-9]+)\{job="\$job"\}/.exec(expr) ?? []
    if (laterFigures.includes(name)) continue
    const [line] = text.split('\n').filter((one) => one.startsWith(`${name}{`) || one.startsWith(`${name} `))
    expect([expr, line]).toEqual([expr, expect.any(String)])
    const [, labels = ''] = /by \(([a-z, ]+)\)/.exec(expr) ?? []
    for (const label of labels.split(', ').filter(Boolean)) expect(line).toContain(`${label}="`)
  }
})

test('without a token there are no figures, and a server is ready only once it has found everything', async () => {
  const { createApp } = await import('../../app.ts')
  const { pino } = await import('pino')
  const other = await startServer()
  expect((await send(other.address, 'GET', '/metrics', { headers: { authorization: 'Bearer ' } })).status).toBe(404)
  await other.stop()
  const app = await createApp({ config: other.config, driver: createStubDriver(), log: pino({ level: 'silent' }) })
  expect((await app.http.inject({ url: '/readyz', headers: { host: 'localhost' } })).statusCode).toBe(503)
  expect((await app.http.inject({ url: '/livez', headers: { host: 'localhost' } })).statusCode).toBe(200)
  await app.close()
  await other.close().catch(() => undefined)
})

const listed = async (subject: string) =>
  (await admin.client.call('job.list')).jobs.find((job) => job.subject === subject)
const recorded = async (event: string) =>
  server.app.database.read.selectFrom('audit_log').select('body').where('event', '=', event).execute()

test('a job that failed is seen with its reason, and taken up again where it failed', async () => {
  const instance = await running('dough')
  script().failNext('start')
  await act('restart', instance.id)
  await settled(instance.id)
  const failed = await listed(instance.id)
  expect(failed).toMatchObject({
    kind: 'instance.restart',
    state: 'failed',
    name: 'dough',
    canRetry: true,
    canCancel: false,
    stuck: false,
  })
  expect((await check()).get('Jobs')).toMatchObject({ state: 'warning', code: 'JOB02' })
  await admin.client.call('job.retry', { params: { jobId: failed!.id } })
  await settled(instance.id)
  expect(await listed(instance.id)).toBeUndefined()
  await inState(instance.id, 'running')
  const retried = { info: { id: instance.id, name: 'Restart instance dough', job: 'instance.restart' } }
  expect((await recorded('platform.job.retried')).map(({ body }) => JSON.parse(body) as object)).toEqual([retried])
  await expect(admin.client.call('job.retry', { params: { jobId: failed!.id } })).rejects.toMatchObject({
    code: 'invalid_state',
  })
})

test('a start that fails because no more files can be opened says so', async () => {
  const instance = await running()
  const cause = Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })
  script().failNext('start', new DriverError('start_failed', 'The process could not be started', { cause }))
  await act('restart', instance.id)
  await settled(instance.id)
  expect((await read(instance.id)).meta.reason).toMatch(/^The server has too many files and connections open/)
})

test('a failed job that another has followed is not taken up again, and nobody is asked to look at it', async () => {
  const instance = await running()
  script().failNext('start')
  await act('restart', instance.id)
  const [failed] = await settled(instance.id)
  expect(await listed(instance.id)).toMatchObject({ id: failed!.id })
  await act('suspend', instance.id)
  await inState(instance.id, 'suspended')
  expect(await listed(instance.id)).toBeUndefined()
  await expect(admin.client.call('job.retry', { params: { jobId: failed!.id } })).rejects.toThrow(
    'Another job has followed',
  )
})

test('a job that hangs is shown as stuck and can be cancelled; one that is worked on cannot', async () => {
  script().holdStarts()
  const instance = await create('sourdough')
  await until(
    () => listed(instance.id),
    (job) => job?.state === 'running' && job.steps.at(-1)?.state === 'running',
  )
  const job = (await listed(instance.id))!
  expect(job).toMatchObject({ stuck: false, canCancel: false })
  const params = { params: { jobId: job.id } }
  await expect(admin.client.call('job.cancel', params)).rejects.toThrow('This job is running')
  clock.turn(16 * 60_000)
  expect((await check()).get('Jobs')).toMatchObject({ state: 'error', code: 'JOB01' })
  expect(await listed(instance.id)).toMatchObject({ stuck: true, canCancel: true })
  expect(await admin.client.call('job.cancel', params)).toMatchObject({
    state: 'failed',
    error: 'An administrator cancelled this',
  })
  expect(await recorded('platform.job.cancelled')).toHaveLength(1)
  script().release()
  await expect(admin.client.call('job.cancel', params)).rejects.toMatchObject({ code: 'invalid_state' })
  // The subject of the job is free again.
  await admin.client.call('job.retry', params)
  await inState(instance.id, 'running')
})
