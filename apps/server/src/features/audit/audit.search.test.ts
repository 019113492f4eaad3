import { roles } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import { openPlatform, send } from '../../../testing/index.ts'

/** Rows of one team, old ones first; the oldest and one in the middle say something that no other says, and no id. */
const many = 12_000
const start = Date.parse('2025-01-01T00:00:00Z')
const { server, admin, owner, team } = await openPlatform()
beforeAll(async () => {
  const rows = Array.from({ length: many }, (_, i) => ({
    created_at: start + i * 60_000,
    event: i % 3 === 0 ? 'application.updated' : 'application.created',
    scope_type: 'team' as const,
    scope_id: team.id,
    trigger_id: owner.id,
    trigger_type: 'user' as const,
    trigger_name: owner.username,
    username: i % 4 === 0 ? 'zebra' : owner.username,
    address: '127.0.0.1',
    body: JSON.stringify({ application: { id: `a${i}`, name: wordOf(i) } }),
  }))
  const { read: db } = server.app.database
  const counted = { scope_type: 'team' as const, scope_id: team.id, event: 'application.created', count: many }
  await db.insertInto('audit_counts').values(counted).execute()
  for (let i = 0; i < many; i += 500)
    await server.app.database.read
      .insertInto('audit_log')
      .values(rows.slice(i, i + 500))
      .execute()
})

const wordOf = (i: number) =>
  i === 0 ? 'Quicksilver line Ñ1' : i < 300 ? 'Old oven' : i === 6000 ? '50 % "Öl"' : 'Press'
const read = (query: Record<string, string | number | string[]>) =>
  owner.client.call('team.auditLog', { params: { teamId: team.id }, query })

test.each([
  ['quicksilver', 1],
  ['UICKSILV', 1],
  ['old oven', 299],
  ['% \\"', 1],
  ['50 %', 1],
  ['Öl', 1],
  ['nowhere at all', 0],
  ["'; drop table audit_text; --", 0],
  ['" OR "a" NOT "', 0],
])('[API-64] the text %s is found wherever it stands, however old it is', async (query, count) => {
  const ids: string[] = []
  for (let cursor: string | undefined, pages = 0; pages < 20; pages++) {
    const page = await read({ query, limit: 100, ...(cursor ? { cursor } : {}) })
    ids.push(...page.log.map(({ id }) => id))
    cursor = page.meta.next_cursor
    if (!cursor) break
  }
  expect([ids.length, new Set(ids).size]).toEqual([count, count])
  expect((await read({ search: query, limit: 1 })).count).toBe((await read({ query, limit: 1 })).count)
})

test('a text of two characters is searched page by page, and each page says where to go on', async () => {
  const bodies: unknown[] = []
  let pages = 0
  for (let cursor: string | undefined = ''; cursor !== undefined; pages++) {
    const page: Awaited<ReturnType<typeof read>> = await read({ query: 'Ñ1', ...(cursor ? { cursor } : {}) })
    bodies.push(...page.log.map(({ body }) => body))
    cursor = page.meta.next_cursor
  }
  expect(bodies).toEqual([{ application: { id: 'a0', name: 'Quicksilver line Ñ1' } }])
  expect(pages).toBeGreaterThan(1)
})

test('what is frequent is counted up to a thousand, and a log and its events exactly', async () => {
  expect((await read({ query: 'press', limit: 5 })).count).toBe(1000)
  expect((await read({ username: 'zebra', limit: 5 })).count).toBe(1000)
})

test('a range of time has its first millisecond and not its last', async () => {
  const time = (i: number) => new Date(start + i * 60_000).toISOString()
  const { log, count } = await read({ from: time(100), to: time(110) })
  expect([log.length, count, log.at(-1)?.createdAt, log[0]?.createdAt]).toEqual([10, 10, time(100), time(109)])
  expect((await read({ from: time(100), to: time(110), event: 'application.updated' })).count).toBe(3)
  expect((await read({ from: time(250), to: time(350), query: 'oven', username: 'zebra' })).count).toBe(12)
  expect((await read({ to: new Date(start).toISOString() })).count).toBe(0)
  expect((await read({ from: '2099-01-01T00:00:00Z' })).log).toEqual([])
  await expect(read({ from: 'yesterday' })).rejects.toMatchObject({ fields: { from: expect.any(String) } })
})

test('[API-37] [CONST-11] [PERM-26] the platform log has what concerns platform and users, and by scope all the rest', async () => {
  const list = (query: Record<string, string | number | string[]> = {}) => admin.client.call('auditLog.list', { query })
  await owner.client.call('account.update', { body: { name: 'Olga Oven' } })
  await admin.client.call('settings.update', { body: { 'team:create': true } })
  const { log, count } = await list()
  expect(new Set(log.map(({ scope }) => scope.type))).toEqual(new Set(['platform', 'user']))
  expect(count).toBe(log.length)
  expect((await list({ event: ['user.updated-user', 'platform.settings.updated'] })).count).toBe(2)
  expect((await list({ event: 'user.updated-user', username: owner.username })).count).toBe(1)
  expect((await list({ event: 'user.updated-user', username: admin.username })).count).toBe(0)
  expect((await list({ query: 'olga' })).log[0]).toMatchObject({ event: 'user.updated-user' })
  expect((await list({ scope: 'team', query: 'quicksilver' })).count).toBe(1)
  expect((await list({ scope: 'team', scopeId: team.id, query: 'quicksilver' })).count).toBe(1)
  expect((await list({ scope: 'team', scopeId: 'other', query: 'quicksilver' })).count).toBe(0)
  expect((await list({ scope: 'project' })).count).toBe(0)
  const pages = { first: await list({ limit: 1 }), size: (await list({ scope: 'team' })).log.length }
  expect([pages.first.log, pages.size]).toEqual([[log[0]], 200])
  expect((await list({ cursor: pages.first.meta.next_cursor! })).log).toEqual(log.slice(1))
  await expect(list({ scope: 'galaxy' })).rejects.toMatchObject({ fields: { scope: expect.any(String) } })
  await expect(owner.client.call('auditLog.list', { query: {} })).rejects.toMatchObject({ status: 403 })
})

const download = (path: string, as = admin) =>
  fetch(server.address + path, { headers: { cookie: as.cookie } }).then(async (answer) => ({
    status: answer.status,
    type: answer.headers.get('content-type'),
    name: answer.headers.get('content-disposition'),
    text: await answer.text(),
  }))

test('an export has all that the filters leave, as JSON and as CSV, and is an entry of the log itself', async () => {
  const path = `/api/v1/teams/${team.id}/audit-log/export`
  const json = await download(`${path}?format=json&event=application.updated`, owner)
  expect([json.type, json.name]).toEqual([
    'application/json; charset=utf-8',
    'attachment; filename="audit-log-team.json"',
  ])
  const entries = JSON.parse(json.text) as { event: string }[]
  expect([entries.length, new Set(entries.map(({ event }) => event))]).toEqual([4000, new Set(['application.updated'])])
  const csv = await download(`${path}?format=csv&query=quicksilver`, owner)
  expect([csv.status, csv.type]).toEqual([200, 'text/csv; charset=utf-8'])
  const lines = csv.text.trimEnd().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('"Application changed"')
  expect(lines[1]).toContain('""name"":""Quicksilver line Ñ1""')
  expect((await read({ event: 'team.audit-log.exported' })).log.map(({ body }) => body)).toMatchObject([
    { info: { format: 'csv', query: 'quicksilver' } },
    { info: { format: 'json', event: 'application.updated' } },
  ])
  expect(JSON.parse((await download(`${path}?format=json&query=nowhere-at-all`, owner)).text)).toEqual([])
  expect((await download(`${path}?format=xml`, owner)).status).toBe(400)
  const member = await server.build.member(team, roles.member)
  expect((await download(`${path}?format=csv`, member)).status).toBe(403)
})

test('no cell of an export is a formula', async () => {
  for (const name of ['=HYPERLINK("http://evil.example")', '+1', '-1', '@SUM(A1)', '\tx']) {
    const user = await server.build.user({ name })
    await user.client.call('account.update', { body: { name: `${name} again` } }).catch(() => undefined)
    await send(server.address, 'POST', '/account/logout', { headers: { cookie: user.cookie } })
  }
  const { text } = await download('/api/v1/admin/audit-log/export?format=csv&event=account.logout')
  expect(text).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
  for (const sign of ['=', '+', '-', '@', '\t']) expect(text).not.toContain(`"${sign}`.replace('"="', '"='))
  const { log } = await admin.client.call('auditLog.list', { query: { event: 'platform.audit-log.exported' } })
  expect(log[0]).toMatchObject({ username: admin.username, body: { info: { format: 'csv', event: 'account.logout' } } })
})
