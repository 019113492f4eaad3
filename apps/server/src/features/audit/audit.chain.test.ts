import { afterEach, beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startServer, testClock, type TestServer, type TestTeam, type TestUser, until } from '../../../testing/index.ts'

const day = 24 * 3_600_000
let clock: ReturnType<typeof testClock>
let server: TestServer
let admin: TestUser
let team: TestTeam
beforeEach(async () => {
  clock = testClock()
  server = await startServer({ clock })
  admin = await server.build.user({ admin: true })
  team = await server.build.team(admin)
  for (let i = 0; i < 6; i++) await server.build.application(admin, team)
  await server.app.services.sealer.seal()
})
afterEach(() => server.close())

const db = () => server.app.database.read
const run = (text: string) => sql.raw(text).execute(db())
const verify = async () => {
  await admin.client.call('auditLog.verify')
  return until(
    () => admin.client.call('auditLog.integrity'),
    ({ state }) => state !== 'running',
  )
}
const sealed = async () =>
  db().selectFrom('audit_log').selectAll().where('position', 'is not', null).orderBy('position').execute()

test('a log that nobody touched is whole, and every entry has its place', async () => {
  expect(await admin.client.call('auditLog.integrity')).toMatchObject({ state: 'unchecked', at: null })
  const rows = await sealed()
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, i) => i + 1))
  expect(await verify()).toMatchObject({ state: 'intact', checked: rows.length, faults: [], at: expect.any(String) })
})

test.each([
  ['event', "'team.deleted'"],
  ['body', `'{}'`],
  ['username', "'somebody'"],
  ['created_at', 'created_at - 1'],
  ['scope_id', "'elsewhere'"],
  ['address', "'203.0.113.9'"],
  ['trigger_name', "'Somebody'"],
  ['mac', "'x.y'"],
])('an entry whose %s was altered is found by its place', async (column, value) => {
  await run(`update audit_log set ${column} = ${value} where position = 3`)
  expect(await verify()).toMatchObject({ state: 'broken', faults: [{ kind: 'altered', position: 3 }] })
})

test('what a log had before it was sealed is sealed in batches, each found by its ids', async () => {
  // It works every second by itself, and would seal a part of these first.
  await server.app.services.sealer.stop()
  await run(`insert into audit_log (created_at, event, scope_type, scope_id, trigger_type, trigger_name, address, body)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 1200)
    select i, 'team.created', 'team', 'old', 'user', 'Somebody', '127.0.0.1', '{}' from n`)
  expect(await server.app.services.sealer.seal()).toBe(1200)
  const rows = await sealed()
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, i) => i + 1))
  // However much was not sealed yet. PostgreSQL knows how much that is.
  if (server.app.database.kind !== 'sqlite') return
  const batch = [...server.queries.texts]
    .filter((text) => text.startsWith('with sealed'))
    .sort((a, b) => b.length - a.length)
  const plan = await sql.raw<{ detail: string }>(`explain query plan ${batch[0]}`).execute(db())
  expect(plan.rows.map(({ detail }) => detail)).toContain(
    'SEARCH audit_log USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  )
})

test('a removed entry is found, with how many are gone', async () => {
  await run('delete from audit_log where position in (3, 4)')
  expect((await verify()).faults).toEqual([{ kind: 'removed', position: 3, count: 2 }])
})

test('a removed entry is found even if those after it move up', async () => {
  await run('delete from audit_log where position = 3')
  await run('update audit_log set position = position - 1000 where position > 3')
  await run('update audit_log set position = position + 999 where position < 0')
  const { faults } = await verify()
  expect(faults[0]).toMatchObject({ kind: 'moved', position: 3 })
})

test('the newest entries cannot be cut off, whether or not the end of the chain is set back', async () => {
  const rows = await sealed()
  const last = rows.at(-1)!.position!
  await run(`delete from audit_log where position = ${last}`)
  expect((await verify()).faults).toEqual([{ kind: 'removed', position: last, count: 1 }])
  await run(`update audit_checkpoints set position = ${last - 1}, seal = '${rows.at(-2)!.seal}' where name = 'head'`)
  expect((await verify()).faults).toEqual(
    expect.arrayContaining([{ kind: 'removed', position: last, count: 1 }, expect.objectContaining({ kind: 'head' })]),
  )
})

test('an old state of the whole log that is put back is found, since the server remembers outside the database', async () => {
  const [head, before] = [await db().selectFrom('audit_checkpoints').selectAll().execute(), await sealed()]
  await server.build.application(admin, team)
  await server.app.services.sealer.seal()
  await run(`delete from audit_log where position > ${before.length}`)
  await db().deleteFrom('audit_checkpoints').execute()
  await db().insertInto('audit_checkpoints').values(head).execute()
  expect((await verify()).faults).toEqual([{ kind: 'removed', position: before.length + 1, count: 1 }])
})

test('an entry that somebody inserted is found: among the others, at the end, and as a copy of a true one', async () => {
  // It works every second by itself, and would seal the first before anybody looks.
  await server.app.services.sealer.stop()
  const columns =
    'created_at, event, scope_type, scope_id, trigger_id, trigger_type, trigger_name, username, address, body'
  await run(`insert into audit_log (${columns}) select ${columns} from audit_log where position = 3`)
  const forged = await db().selectFrom('audit_log').select('id').where('position', 'is', null).executeTakeFirst()
  expect((await verify()).faults).toEqual([{ kind: 'inserted', position: 0, count: 1, entry: String(forged!.id) }])
  // The platform seals what it finds, and the MAC of its author is still missing.
  await server.app.services.sealer.seal()
  const place = (await sealed()).length
  expect((await verify()).faults).toMatchObject([{ kind: 'inserted', position: place }])
  await expect(
    run(`insert into audit_log (${columns}, mac) select ${columns}, mac from audit_log where position = 4`),
  ).rejects.toThrow(/unique/i)
})

test('entries that changed places are found, with and without their seals', async () => {
  await run('update audit_log set position = -1 where position = 3')
  await run('update audit_log set position = 3 where position = 5')
  await run('update audit_log set position = 5 where position = -1')
  const { faults } = await verify()
  expect(faults.map(({ kind }) => kind)).toContain('moved')
  expect(faults.map(({ position }) => position)).toEqual(expect.arrayContaining([3, 5]))
})

test('an entry that is committed after a later one comes after it in the chain', async () => {
  const { sealer } = server.app.services
  await sealer.stop()
  await server.build.team(admin, 'Slow')
  const hidden = await db().selectFrom('audit_log').select('id').where('position', 'is', null).executeTakeFirst()
  // As if its change took longer than the one that follows.
  await run(`update audit_log set position = -1 where id = ${hidden!.id}`)
  await server.build.team(admin, 'Quick')
  await sealer.seal()
  await run('update audit_log set position = null where position = -1')
  expect(await sealer.seal()).toBe(1)
  expect((await sealed()).at(-1)!.id).toBe(hidden!.id)
  expect(await verify()).toMatchObject({ state: 'intact' })
})

test('two servers that seal at once make one chain', async () => {
  for (let i = 0; i < 5; i++) await server.build.application(admin, team)
  await Promise.all([server.app.services.sealer.seal(), server.app.services.sealer.seal()])
  expect(await verify()).toMatchObject({ state: 'intact', faults: [] })
})

test('retention removes what is older than the setting says, in the order of the chain, and says so', async () => {
  await admin.client.call('settings.update', { body: { 'audit:retention-days': 30 } })
  const before = (await sealed()).length
  clock.turn(20 * day)
  await server.build.team(admin)
  await server.app.services.sealer.seal()
  expect(await server.app.services.retention.trim()).toBe(0)
  clock.turn(11 * day)
  admin = await server.build.user({ admin: true })
  // The change of the setting was sealed with what came after it.
  expect(await server.app.services.retention.trim()).toBeGreaterThanOrEqual(before)
  await server.app.services.sealer.seal()
  const { state, removed, checked } = await verify()
  expect([state, removed >= before, checked]).toEqual(['intact', true, (await sealed()).length])
  const { log } = await admin.client.call('auditLog.list', { query: { event: 'platform.audit-log.trimmed' } })
  expect(log[0]).toMatchObject({
    trigger: { type: 'system' },
    body: { info: { entries: removed, position: removed, seal: expect.any(String) as string } },
  })
  const { count, log: ofTeam } = await admin.client.call('team.auditLog', { params: { teamId: team.id } })
  expect([count, ofTeam.length]).toEqual([0, 0])
})

test('an altered entry is not removed by retention, and a forged beginning is found', async () => {
  await server.build.setting('audit:retention-days', 30)
  await run(`update audit_log set body = '{}' where position = 2`)
  clock.turn(40 * day)
  admin = await server.build.user({ admin: true })
  await expect(server.app.services.retention.trim()).rejects.toThrow('position 2')
  expect((await verify()).faults).toMatchObject([{ kind: 'altered', position: 2 }])
  await run('delete from audit_log where position <= 2')
  const seal = (await sealed())[0]!.seal
  await run(
    `insert into audit_checkpoints (name, position, seal, entries, at, mac) values ('cut', 2, '${seal}', 2, 0, 'x')`,
  )
  expect((await verify()).faults[0]).toMatchObject({ kind: 'cut' })
})

test('the setting of retention is whole days, at least 30, for administrators, and its change is an entry', async () => {
  for (const value of [29, 30.5, -1, 100_000, '60'])
    await expect(
      admin.client.call('settings.update', { body: { 'audit:retention-days': value as number } }),
    ).rejects.toMatchObject({ status: 400, fields: { 'audit:retention-days': expect.any(String) } })
  await admin.client.call('settings.update', { body: { 'audit:retention-days': 365 } })
  expect((await admin.client.call('settings.get'))['audit:retention-days']).toBe(365)
  const { log } = await admin.client.call('auditLog.list', { query: { event: 'platform.settings.updated' } })
  expect(log[0]!.body).toEqual({ updates: [{ key: 'audit:retention-days', old: null, new: 365, dif: 'updated' }] })
})

test('the command says the same from the shell, by its words and its exit code', async () => {
  const { home, databaseUrl } = server.config
  const command = (at: string) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const env = {
        PATH: process.env.PATH,
        FORGE_HOME: at,
        ...(databaseUrl ? { FORGE_DATABASE_URL: databaseUrl } : {}),
      }
      execFile(process.execPath, [join(import.meta.dirname, '../../cli/audit-verify.ts')], { env }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err }),
      )
    })
  expect(await command(home)).toMatchObject({ code: 0, out: expect.stringContaining('is as it was written') })
  await run(`update audit_log set event = 'x' where position = 2`)
  expect(await command(home)).toMatchObject({ code: 1, out: expect.stringMatching(/altered: place 2[^]*was changed/) })
  const nowhere = join(home, 'nowhere')
  expect(await command(nowhere)).toMatchObject({ code: 2, err: expect.stringContaining('There is no key') })
  rmSync(nowhere, { recursive: true, force: true })
})

test('while no file can be opened entries are sealed all the same, and the log is whole afterwards', async () => {
  const head = () =>
    JSON.parse(readFileSync(join(server.config.home, 'audit-head.json'), 'utf8')) as { position: number }
  // Without a connection, which needs a descriptor too.
  const add = async (name: string) => {
    const [url, headers] = ['/api/v1/applications', { cookie: admin.cookie }]
    const payload = { name, teamId: team.id }
    expect(await server.app.http.inject({ method: 'POST', url, headers, payload })).toMatchObject({ statusCode: 200 })
  }
  const last = async () => (await sealed()).at(-1)!
  // Load the modules of an answer while files can be opened.
  await add('Well fed')
  const before = await until(last, ({ position }) => head().position === position)
  const descriptors = await limitDescriptors()
  try {
    expect(() => readdirSync(server.config.home)).toThrow('EMFILE')
    await add('Hungry')
    await until(last, ({ body }) => body.includes('Hungry'))
  } finally {
    await descriptors.restore()
  }
  expect(head().position).toBe(before.position)
  await add('Fed')
  const after = await until(last, ({ position }) => head().position === position)
  expect(after.body).toContain('Fed')
  expect(await verify()).toMatchObject({ state: 'intact', faults: [] })
})

/** Lets this process open nothing more, until it is restored by a child that was started before. */
async function limitDescriptors() {
  const pid = `${process.pid}`
  const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))!
  const child = spawn('sh', ['-c', `read go; exec prlimit --pid ${pid} --nofile=${most}:`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  execFileSync('prlimit', ['--pid', pid, '--nofile=3:'])
  return {
    async restore() {
      const ended = once(child, 'exit')
      child.stdin.end('go\n')
      expect(await ended).toEqual([0, null])
    },
  }
}
