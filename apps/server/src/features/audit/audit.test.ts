import { type AuditKey, auditEvents, auditTitle, roles } from '@app/contract'
import { expect, test } from 'vitest'
import { openPlatform, send, type TestTeam, type TestUser } from '../../../testing/index.ts'
import { changes } from './index.ts'

const { server, owner, team } = await openPlatform()

type Query = Record<string, string | string[] | number>
const read = (query: Query, of = team) => owner.client.call('team.auditLog', { params: { teamId: of.id }, query })

/** Every entry, page by page, as a reader follows the cursors. */
async function readAll(
  query: Query,
  of: TestTeam,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const { meta, log } = await read({ ...query, ...(cursor ? { cursor } : {}) }, of)
    ids.push(...log.map(({ id }) => id))
    if (!meta.next_cursor) return ids
    cursor = meta.next_cursor
    await meanwhile()
  }
}

test('[AUDIT-13] [AUDIT-15] an entry says what, when, where, and who did it', async () => {
  const mine = await server.build.team(owner, 'Mine')
  await owner.client.call('team.update', { params: { teamId: mine.id }, body: { name: 'Ours' } })
  const { meta, count, log } = await read({}, mine)
  expect([meta, count]).toEqual([{}, 2])
  expect(log[0]).toEqual({
    id: expect.stringMatching(/^\d+$/),
    createdAt: expect.stringMatching(/T.*\.\d{3}Z$/),
    event: 'team.settings.updated',
    username: owner.username,
    scope: { id: mine.id, type: 'team' },
    trigger: { id: owner.id, type: 'user', name: owner.username },
    address: '127.0.0.1',
    body: {
      team: { id: mine.id, name: 'Mine', slug: 'mine' },
      updates: [{ key: 'name', old: 'Mine', new: 'Ours', dif: 'updated' }],
    },
  })
  expect(log[1]?.event).toBe('team.created')
})

test('[API-07] [API-115] pages run newest first, without gap or double, while others write', async () => {
  const mine = await server.build.team(owner)
  for (let i = 0; i < 22; i++) await server.build.application(owner, mine)
  const { log } = await read({}, mine)
  const before = log.map(({ id }) => id)
  expect(before).toHaveLength(23)
  expect(await readAll({ limit: 5 }, mine, () => server.build.application(owner, mine))).toEqual(before)
  const whole = await readAll({ limit: 27 }, mine)
  expect(whole).toEqual(whole.toSorted((a, b) => Number(b) - Number(a)))
  expect([whole.length, new Set(whole).size]).toEqual([27, 27])
})

test('[API-115] [CONST-11] a page has 200 entries unless asked otherwise, and the count is of all', async () => {
  const mine = await server.build.team(owner)
  const { read: db } = server.app.database
  const [row] = await db.selectFrom('audit_log').selectAll().where('scope_id', '=', mine.id).execute()
  const { id: _id, mac: _mac, position: _position, seal: _seal, ...entry } = row!
  await db
    .insertInto('audit_log')
    .values(Array.from({ length: 205 }, () => ({ ...entry, event: 'application.created' })))
    .execute()
  const { log, meta } = await read({}, mine)
  expect([log.length, meta.next_cursor]).toEqual([200, log.at(-1)?.id])
  expect((await read({ limit: 1000 }, mine)).log).toHaveLength(206)
})

test('[API-64] [API-115] filters by event, by several events, by user and by text, each with its own count', async () => {
  const mine = await server.build.team(owner)
  const other = await server.build.member(mine, roles.owner)
  await server.build.application(owner, mine, '100 % Öl_line')
  await server.build.application(other, mine, 'Oven line')
  const filtered = async (query: Query) => {
    const { count, log } = await read(query, mine)
    expect(log).toHaveLength(count)
    return count
  }
  expect(await filtered({})).toBe(3)
  expect(await filtered({ event: 'application.created' })).toBe(2)
  expect(await filtered({ event: ['application.created', 'team.created'] })).toBe(3)
  expect(await filtered({ event: 'unknown' })).toBe(0)
  expect(await filtered({ username: other.username })).toBe(1)
  expect(await filtered({ username: other.username, event: 'team.created' })).toBe(0)
  expect(await filtered({ query: 'OVEN' })).toBe(1)
  expect(await filtered({ query: '%' })).toBe(1)
  expect(await filtered({ query: 'l_l' })).toBe(1)
  expect(await filtered({ query: 'application' })).toBe(2)
  expect(await filtered({ query: other.username.toUpperCase() })).toBe(1)
  expect(await filtered({ query: "'; drop table audit_log; --" })).toBe(0)
})

test('[API-78] [CONST-11] the log of an instance is narrowed by event, person and text, is read by cursor, and has 200 a page', async () => {
  const other = await server.build.member(team, roles.owner)
  const { id: instanceId } = await server.build.runningInstance(owner, await server.build.application(owner, team))
  const env = (name: string) => ({ settings: { env: [{ name, value: 'x' }] } })
  await owner.client.call('instance.update', { params: { instanceId }, body: env('Bakery') })
  await other.client.call('instance.update', { params: { instanceId }, body: env('Mill') })
  const entries = async (query: Query) => owner.client.call('instance.auditLog', { params: { instanceId }, query })
  const narrowed = async (query: Query) => (await entries(query)).log.map(({ event, username }) => [event, username])
  const updated = 'project.settings.updated'
  const all = await narrowed({})
  expect(all.at(-1)).toEqual(['project.created', owner.username])
  expect(await narrowed({ event: updated })).toEqual([
    [updated, other.username],
    [updated, owner.username],
  ])
  expect(await narrowed({ username: other.username })).toEqual([[updated, other.username]])
  expect(await narrowed({ query: 'MILL' })).toEqual([[updated, other.username]])
  const [first] = (await entries({ limit: 1 })).log
  const rest = await narrowed({ cursor: (await entries({ limit: 1 })).meta.next_cursor! })
  expect([[first!.event, first!.username], ...rest]).toEqual(all)

  const db = server.app.database.read
  const [row] = await db.selectFrom('audit_log').selectAll().where('scope_id', '=', instanceId).execute()
  const { id: _id, mac: _mac, position: _position, seal: _seal, ...entry } = row!
  await db
    .insertInto('audit_log')
    .values(Array.from({ length: 205 }, () => entry))
    .execute()
  expect((await entries({})).log).toHaveLength(200)
})

test.each([
  { cursor: 'x' },
  { cursor: '-1' },
  { cursor: '9'.repeat(19) },
  { limit: '0' },
  { limit: '1001' },
  { limit: '1.5' },
  { query: 'x'.repeat(201) },
  { event: Array.from({ length: 51 }, () => 'x') },
] as Query[])('the query %o is refused by its field', async (query) => {
  await expect(read(query)).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
    fields: { [Object.keys(query)[0]!]: expect.any(String) },
  })
})

test('what happens in each family leaves an entry that carries its subject', async () => {
  const admin = await server.build.user({ admin: true })
  const application = await server.build.application(owner, team, 'Cold store')
  const project = await server.build.runningInstance(owner, application)
  const inApplication = { applicationId: application.id }
  const pipeline = await owner.client.call('pipeline.create', { params: inApplication, body: { name: 'Release' } })
  const snapshot = await owner.client.call('snapshot.create', {
    params: { instanceId: project.id },
    body: { name: 'Before' },
  })
  const { id: projectType } = await admin.client.call('instanceType.create', { body: { name: 'Huge' } })
  const properties = { nodered: '5.0.7', memory: 256 }
  await admin.client.call('stack.create', { body: { name: 'huge-5', projectType, properties } })
  const invitee = await server.build.user()
  const asMember = { user: invitee.username, role: roles.member }
  await owner.client.call('invitation.create', { params: { teamId: team.id }, body: asMember })

  const last = async (event: AuditKey, query: Query = {}) =>
    (await admin.client.call('auditLog.list', { query: { event, limit: 1, ...query } })).log[0]
  const named = (name: string) => ({ id: expect.any(String), name })
  const of = (scope: string) => ({ scope })
  expect((await last('application.created', of('team')))?.body).toMatchObject({
    team: { id: team.id },
    application: named('Cold store'),
  })
  expect((await last('project.created', of('project')))?.body).toMatchObject({ project: { id: project.id } })
  expect((await last('application.pipeline.created', of('team')))?.body).toMatchObject({
    application: named('Cold store'),
    pipeline: { id: pipeline.id, name: 'Release' },
  })
  expect((await last('project.snapshot.created', of('project')))?.body).toMatchObject({
    project: { id: project.id },
    snapshot: { id: snapshot.id, name: 'Before' },
  })
  expect((await last('team.user.invited', of('team')))?.body).toMatchObject({
    user: { id: invitee.id, username: invitee.username },
  })
  expect((await last('platform.project-type.created'))?.body).toEqual({ projectType: named('Huge') })
  expect((await last('platform.stack.created'))?.body).toEqual({ stack: named('huge-5') })
})

test('an entry of one team is in no other log', async () => {
  const [a, b] = [await server.build.team(owner), await server.build.team(owner)]
  expect((await read({}, a)).log.map(({ scope }) => scope.id)).toEqual([a.id])
  expect((await read({}, b)).log.map(({ scope }) => scope.id)).toEqual([b.id])
})

/** Makes the next audit entry of an event impossible to write. */
async function failing(event: AuditKey, work: () => Promise<unknown>): Promise<void> {
  const { database } = server.app
  const original = database.transact
  database.transact = (change) =>
    original((tx) => {
      const insert = tx.insertInto.bind(tx)
      return change(
        Object.assign(Object.create(tx) as typeof tx, {
          insertInto: (table: Parameters<typeof insert>[0]) => {
            if (table === 'audit_log') throw new Error(`no room for ${event}`)
            return insert(table)
          },
        }),
      )
    })
  try {
    await work()
  } finally {
    database.transact = original
  }
}

test.each([
  ['team.settings.updated', 'PUT', '/api/v1/teams/:team', { name: 'Changed' }],
  ['application.created', 'POST', '/api/v1/applications', { name: 'Changed', teamId: ':team' }],
  ['application.updated', 'PUT', '/api/v1/applications/:application', { name: 'Changed' }],
  ['application.deleted', 'DELETE', '/api/v1/applications/:application', undefined],
  ['user.updated-user', 'PUT', '/api/v1/user', { name: 'Changed' }],
  [
    'user.updated-password',
    'PUT',
    '/api/v1/user/change_password',
    { old_password: 'correct horse battery', password: 'Changed12' },
  ],
  ['account.logout', 'POST', '/account/logout', undefined],
] as const)('[API-08] when %s cannot be recorded, it does not happen', async (event, method, path, body) => {
  const user = await server.build.user()
  const mine = await server.build.team(user)
  const application = await server.build.application(user, mine)
  const { read: db } = server.app.database
  const everything = async () =>
    JSON.stringify([
      await db.selectFrom('teams').select(['id', 'name', 'slug']).execute(),
      await db.selectFrom('applications').select(['id', 'name']).execute(),
      await db.selectFrom('users').select(['id', 'name', 'password_hash']).execute(),
      await db.selectFrom('sessions').select('id').execute(),
      await db.selectFrom('audit_counts').selectAll().orderBy('scope_id').orderBy('event').execute(),
    ])
  const before = await everything()
  await failing(event, async () => {
    const filled = path.replace(':team', mine.id).replace(':application', application.id)
    const text = body && JSON.stringify(body).replace(':team', mine.id)
    const answer = await send(server.address, method, filled, { headers: { cookie: user.cookie }, body: text })
    expect(answer).toMatchObject({
      status: 500,
      json: { code: 'unexpected_error', message: expect.stringContaining('Something went wrong on the server') },
    })
    expect(answer.text).not.toContain('no room')
  })
  expect(await everything()).toBe(before)
  expect(server.faults.splice(0)).toHaveLength(1)
})

test('changes name what differs, and hide what is secret', () => {
  expect(
    changes({ a: 1, b: 'x', password: 'old' }, { a: 1, b: 'y', c: true, password: 'new', gone: undefined }),
  ).toEqual([
    { key: 'b', old: 'x', new: 'y', dif: 'updated' },
    { key: 'c', old: undefined, new: true, dif: 'created' },
    { key: 'password', old: '***', new: '***', dif: 'updated' },
  ])
})

test('an event is recorded only where its log is', async () => {
  const actor = { kind: 'system' as const, address: '' }
  const { createAudit } = await import('./index.ts')
  const audit = createAudit({
    database: server.app.database,
    bus: { publish: async () => undefined } as never,
    clock: { now: () => 0 },
    signer: { sign: () => '', verifies: () => true },
  })
  const wrong = server.app.database.transact((tx) =>
    audit.record(tx, actor, 'team.created', { type: 'user', id: 'x' }, { team: { id: 'x', name: 'x', slug: 'x' } }),
  )
  await expect(wrong).rejects.toThrow('does not belong in a user log')
  expect(auditEvents['team.created'].scopes).toEqual(['team'])
})

test('an entry says from where; of an instance to owners, and not to those who may only look', async () => {
  const mine = await server.build.team(owner)
  const application = await server.build.application(owner, mine)
  const { id } = await server.build.instance(owner, application)
  const member = await server.build.member(mine, roles.member)
  const addresses = async ({ client }: TestUser) =>
    (await client.call('instance.auditLog', { params: { instanceId: id } })).log
      .filter(({ event }) => event === 'project.created')
      .map(({ address }) => address)
  expect([await addresses(owner), await addresses(member)]).toEqual([['127.0.0.1'], [null]])
})

test('a refused sign-in says who and from where in the platform log and in the file of it', async () => {
  const admin = await server.build.user({ admin: true })
  const body = (username: string) => ({ username, password: 'not this' })
  await send(server.address, 'POST', '/account/login', { body: body(owner.username) })
  await send(server.address, 'POST', '/account/login', { body: body('nobody-at-all') })
  const { log } = await admin.client.call('auditLog.list', { query: { event: 'account.login', limit: 2 } })
  expect(log.map(auditTitle)).toEqual([
    'Sign-in failed: unknown user, from 127.0.0.1',
    `Sign-in failed: ${owner.username}, from 127.0.0.1`,
  ])
  expect(auditTitle({ ...log[0]!, address: null })).toBe('Sign-in failed: unknown user')
  expect(auditTitle({ ...log[0]!, body: {} })).toBe('User signed in')
  const path = '/api/v1/admin/audit-log/export?format=csv&event=account.login'
  const file = await send(server.address, 'GET', path, { headers: { cookie: admin.cookie } })
  const [head = '', line = ''] = file.text.split('\r\n')
  expect(head).toMatch(/,"body","address"$/)
  expect(line).toContain('"Sign-in failed: unknown user, from 127.0.0.1"')
  expect(line).toMatch(/,"127.0.0.1"$/)
})

test('a variable is named and its value is nowhere, also of entries from before', async () => {
  const mine = await server.build.team(owner)
  const application = await server.build.application(owner, mine)
  const { id } = await server.build.runningInstance(owner, application)
  const change = (value: string) =>
    owner.client.call('instance.update', {
      params: { instanceId: id },
      body: { settings: { env: [{ name: 'PLC_PASSWORD', value }] } },
    })
  await change('typed-without-secret')
  await change('typed-again')
  const { read: db } = server.app.database
  const rows = await db.selectFrom('audit_log').selectAll().where('scope_id', '=', id).execute()
  expect(JSON.stringify(rows)).toContain('PLC_PASSWORD')
  expect(JSON.stringify(rows)).not.toContain('typed-')
  const { id: _id, mac: _mac, position: _position, seal: _seal, ...entry } = rows.at(-1)!
  const updates = [{ key: 'env.OLD', old: 'typed-before', new: 'typed-later', dif: 'updated' }]
  await db
    .insertInto('audit_log')
    .values({ ...entry, body: JSON.stringify({ updates }) })
    .execute()
  const { log } = await owner.client.call('instance.auditLog', { params: { instanceId: id } })
  expect(log.map(({ body }) => body.updates).filter(Boolean)).toEqual([
    [{ key: 'env.OLD', dif: 'updated' }],
    [{ key: 'env.PLC_PASSWORD', dif: 'updated' }],
    [{ key: 'env.PLC_PASSWORD', dif: 'created' }],
  ])
})
