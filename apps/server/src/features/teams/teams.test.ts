import { roles, teamRoles, teamTypePrice } from '@app/contract'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { openPlatform, send, statusesOf, type TestUser } from '../../../testing/index.ts'

let type: string
const { server, admin, owner, team } = await openPlatform()
beforeAll(async () => {
  type = await server.build.teamType()
})

const call = (method: string, path: string, { cookie }: TestUser, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie }, body })
const create = (user: TestUser, body: object) => call('POST', '/api/v1/teams', user, { type, ...body })
const entriesOf = (scope: string) =>
  server.app.database.read.selectFrom('audit_log').selectAll().where('scope_id', '=', scope).orderBy('id').execute()

test('[PERM-67] [TEAM-03] while team:create is off only administrators create teams', async () => {
  for (const path of ['/api/v1/teams', '/api/v1/teams/check-slug']) {
    const body = { name: 'Mine', slug: 'mine', type }
    expect(await call('POST', path, owner, body)).toMatchObject({ status: 403, json: { code: 'unauthorized' } })
  }
  expect((await call('POST', '/api/v1/teams/check-slug', admin, { slug: 'admins' })).status).toBe(200)
  expect((await create(admin, { name: 'Admins' })).json).toMatchObject({ slug: 'admins' })
})

test('[TEAM-02] with team:create on, whoever creates a team owns it', async () => {
  await server.build.setting('team:create', true)
  const answer = await create(owner, { name: '  Example Bakery ', slug: 'example-bakery' })
  const { id } = answer.json as { id: string }
  expect([answer.status, answer.json]).toEqual([
    200,
    {
      id,
      name: 'Example Bakery',
      slug: 'example-bakery',
      avatar: expect.stringContaining('/avatar/'),
      instanceCount: 0,
      memberCount: 1,
      links: { self: `${server.config.baseUrl}/api/v1/teams/${id}` },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      type: { id: type, name: 'Standard', description: '', active: true, order: 1, properties: {} },
    },
  ])
  expect((await call('GET', `/api/v1/teams/${id}/user`, owner)).json).toEqual({ role: roles.owner })
})

test("a new team is recorded in its own log and in the platform's, with who and from where", async () => {
  const { id } = (await create(owner, { name: 'Recorded' })).json as { id: string }
  const by = {
    trigger_id: owner.id,
    trigger_type: 'user',
    trigger_name: owner.username,
    username: owner.username,
    address: '127.0.0.1',
  }
  const body = { team: { id, name: 'Recorded', slug: 'recorded' } }
  const [own, ...more] = await entriesOf(id)
  expect([own, more]).toMatchObject([{ ...by, event: 'team.created', scope_type: 'team' }, []])
  const platform = (await entriesOf('platform')).at(-1)
  expect(platform).toMatchObject({ ...by, event: 'platform.team.created', scope_type: 'platform' })
  expect([own, platform].map((entry) => JSON.parse(entry!.body))).toEqual([body, body])
})

test.each([
  ['[TEAM-11] Öfen & Brot  GmbH', undefined, 'fen--brot-gmbh'],
  ['Create', undefined, 'create-team'],
  ['x'.repeat(80), undefined, 'x'.repeat(64)],
  ['A name', 'own_slug-1', 'own_slug-1'],
])('%s with slug %s becomes %s', async (title, slug, expected) => {
  const name = title.replace('[TEAM-11] ', '')
  expect((await create(owner, { name, slug })).json).toMatchObject({ name, slug: expected })
})

test.each([
  [{ name: '' }, 'name', 'Required'],
  [{ name: '   ' }, 'name', 'Required'],
  [{ name: 'x'.repeat(81) }, 'name', 'At most 80 characters'],
  [{ name: 'http://x' }, 'name', 'Team name can not contain URL'],
  [{ name: 'x', slug: '' }, 'slug', 'Must not be blank'],
  [{ name: 'x', slug: 'Big' }, 'slug', 'Must only contain a-z 0-9 - _'],
  [{ name: 'x', slug: 'x'.repeat(65) }, 'slug', expect.any(String)],
  [{ name: 'x', type: '../x' }, 'type', 'Not a valid id'],
  [{ name: 'x', type: undefined }, 'type', expect.any(String)],
])('[TEAM-05] [TEAM-06] [TEAM-07] [TEAM-08] %o is refused by its field', async (body, field, message) => {
  expect(await create(owner, body)).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', fields: { [field]: message } },
  })
})

test('a NUL in the input is refused in words, and never by the database', async () => {
  expect(await call('PUT', `/api/v1/teams/${team.id}`, owner, { name: 'a\0b' })).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', fields: { name: 'Must not contain NUL characters' } },
  })
  const answers = await Promise.all([
    send(server.address, 'POST', '/account/login', { body: { username: 'a\0b', password: 'a\0b' } }),
    send(server.address, 'POST', '/account/token', { body: { client_id: '\0' } }),
    send(server.address, 'GET', '/account/authorize?client_id=%00'),
    call('GET', '/api/v1/teams/slug/%00', owner),
    call('GET', `/api/v1/teams/${team.id}/audit-log?query=%00&event=%00&username=%00`, owner),
    call('PUT', '/api/v1/user', owner, { name: 'a\0b' }),
  ])
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
})

test('a name without a letter for a slug asks for one, and an unknown type is refused', async () => {
  expect(await create(owner, { name: '日本' })).toMatchObject({
    status: 400,
    json: { code: 'invalid_slug', fields: { slug: expect.any(String) } },
  })
  expect(await create(owner, { name: 'x', type: 'unknown' })).toMatchObject({
    status: 400,
    json: { code: 'invalid_team_type' },
  })
})

test('[TEAM-10] [API-57] a slug that is taken or reserved is a conflict, asked first or not', async () => {
  for (const slug of [team.slug, 'create']) {
    expect(await create(owner, { name: 'x', slug })).toMatchObject({
      status: 409,
      json: { code: 'invalid_slug', error: 'The slug is already in use' },
    })
    expect(await call('POST', '/api/v1/teams/check-slug', owner, { slug })).toMatchObject({
      status: 409,
      json: { code: 'invalid_slug' },
    })
  }
  const free = await call('POST', '/api/v1/teams/check-slug', owner, { slug: 'nobody-has-this' })
  expect([free.status, free.json]).toEqual([200, { status: 'okay' }])
})

test('of teams created at once under one slug exactly one comes to be', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => create(owner, { name: 'Race', slug: 'race' })))
  expect(statusesOf(answers)).toEqual([200, 409, 409, 409, 409, 409])
  expect(answers.filter(({ json }) => json.code === 'invalid_slug')).toHaveLength(5)
  expect((await entriesOf('platform')).filter(({ body }) => body.includes('"slug":"race"'))).toHaveLength(1)
})

test('of teams renamed at once to one slug exactly one gets it', async () => {
  const teams = await Promise.all([1, 2, 3, 4].map(() => server.build.team(owner)))
  const answers = await Promise.all(
    teams.map(({ id }) => call('PUT', `/api/v1/teams/${id}`, owner, { slug: 'wanted' })),
  )
  expect(statusesOf(answers)).toEqual([200, 409, 409, 409])
})

test('[API-31] [API-32] [API-33] an owner renames a team, field by field, and the log says what changed', async () => {
  const { id } = await server.build.team(owner, 'Before')
  const put = (body: object) => call('PUT', `/api/v1/teams/${id}`, owner, body)
  expect((await put({ name: ' After ' })).json).toMatchObject({ name: 'After', slug: 'before' })
  expect((await put({ slug: 'after' })).json).toMatchObject({ name: 'After', slug: 'after' })
  expect((await put({ slug: 'after' })).status).toBe(200)
  expect((await call('GET', '/api/v1/teams/slug/after', owner)).json).toEqual(
    (await call('GET', `/api/v1/teams/${id}`, owner)).json,
  )
  expect((await call('GET', '/api/v1/teams/slug/before', owner)).status).toBe(404)
  expect((await call('GET', `/api/v1/teams/${id}`, owner)).json).toMatchObject({ id, name: 'After', slug: 'after' })
  expect((await call('GET', '/api/v1/teams/unknown', owner)).status).toBe(404)
  expect((await put({ slug: team.slug })).json).toMatchObject({
    code: 'invalid_slug',
    fields: { slug: 'The slug is already in use' },
  })
  const [, first, second] = await entriesOf(id)
  expect(first).toMatchObject({
    event: 'team.settings.updated',
    scope_type: 'team',
    trigger_id: owner.id,
    address: '127.0.0.1',
  })
  expect(JSON.parse(first!.body)).toMatchObject({
    team: { id },
    updates: [{ key: 'name', old: 'Before', new: 'After', dif: 'updated' }],
  })
  expect(JSON.parse(second!.body)).toMatchObject({
    updates: [{ key: 'slug', old: 'before', new: 'after', dif: 'updated' }],
  })
  const both = { name: 'Both', slug: 'both' }
  expect((await put(both)).json).toMatchObject(both)
})

test('a name and a slug that are changed at once are both kept', async () => {
  const { id } = await server.build.team(owner, 'Two changes')
  const path = `/api/v1/teams/${id}`
  const body = JSON.stringify({ name: 'Both kept' })
  const headers = { cookie: owner.cookie, 'content-type': 'application/json', 'content-length': body.length }
  const slow = request(server.address + path, { method: 'PUT', headers })
  const answered = once(slow, 'response')
  // The team is loaded before the body is there; meanwhile somebody else gets through.
  slow.flushHeaders()
  await once(server.app.http.server, 'request')
  expect((await call('GET', path, owner)).status).toBe(200)
  expect((await call('PUT', path, owner, { slug: 'both-kept' })).status).toBe(200)
  slow.end(body)
  const [answer] = (await answered) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(200)
  expect((await call('GET', path, owner)).json).toMatchObject({ name: 'Both kept', slug: 'both-kept' })
})

test('[API-111] the members with their roles, by name, and nothing secret of them', async () => {
  const mine = await server.build.team(owner)
  for (const role of teamRoles) await server.build.member(mine, role)
  const { count, members } = (await call('GET', `/api/v1/teams/${mine.id}/members`, owner)).json as {
    count: number
    members: Record<string, unknown>[]
  }
  expect([count, members.map(({ role }) => role)]).toEqual([5, expect.arrayContaining([...teamRoles, roles.owner])])
  expect(members.map(({ name }) => name)).toEqual(members.map(({ name }) => name as string).sort())
  expect(Object.keys(members[0]!).sort()).toEqual([
    'admin',
    'avatar',
    'createdAt',
    'email',
    'id',
    'name',
    'role',
    'suspended',
    'username',
  ])
})

test('[API-36] the own role in a team: the stored one, and 99 for a visiting administrator', async () => {
  const roleOf = async (user: TestUser) => (await call('GET', `/api/v1/teams/${team.id}/user`, user)).json
  for (const role of teamRoles) expect(await roleOf(await server.build.member(team, role))).toEqual({ role })
  expect(await roleOf(admin)).toEqual({ role: roles.admin })
  expect(await roleOf(await server.build.user())).toMatchObject({ code: 'not_found' })
})

test("[ATEAM-01] [API-29] [API-107] one's teams with one's role in them, and the types to choose from", async () => {
  const user = await server.build.user()
  expect((await call('GET', '/api/v1/user/teams', user)).json).toEqual({ meta: {}, count: 0, teams: [] })
  const own = await server.build.team(user)
  const { count, teams } = (await call('GET', '/api/v1/user/teams', user)).json
  expect([count, teams]).toMatchObject([
    1,
    [{ id: own.id, role: roles.owner, roleName: 'owner', memberCount: 1, instanceCount: 0 }],
  ])
  const ids = async (query: string) =>
    ((await call('GET', `/api/v1/team-types${query}`, user)).json.types as { id: string }[]).map(({ id }) => id)
  expect([await ids(''), await ids('?filter=inactive'), await ids('?filter=all')]).toEqual([[type], [], [type]])
  const put = async (active: 0 | 1) =>
    server.app.database.read.updateTable('team_types').set({ active }).where('id', '=', type).execute()
  await put(0)
  expect([await ids(''), await ids('?filter=inactive'), await ids('?filter=all')]).toEqual([[], [type], [type]])
  await put(1)
})

test('[TEAM-30] a type has its name, description and properties, from which its price follows', async () => {
  const user = await server.build.user()
  const [plain] = (await user.client.call('team.types', {})).types
  expect(plain).toMatchObject({ id: type, name: 'Standard', description: '', properties: {} })
  expect(teamTypePrice(plain!)).toEqual({ isFree: true, billingPrice: 'free' })
  const priced = async (userCost: number, deviceCost = 0) => {
    const properties = JSON.stringify({ userLimit: 10, billing: { userCost, deviceCost } })
    await server.app.database.read.updateTable('team_types').set({ properties }).where('id', '=', type).execute()
    const [changed] = (await user.client.call('team.types', {})).types
    expect(changed?.properties).toEqual(JSON.parse(properties))
    return teamTypePrice(changed!)
  }
  expect(await priced(1500)).toEqual({ isFree: false, billingPrice: '15 US$ per user per month' })
  expect((await priced(1550)).billingPrice).toBe('15.50 US$ per user per month')
  expect((await priced(1500, 200)).billingPrice).toBe('15 US$ per user per month')
  expect(await priced(0, 200)).toEqual({ isFree: false, billingPrice: 'members free, 2 US$ per device per month' })
  expect(await priced(0)).toEqual({ isFree: true, billingPrice: 'free' })
  await server.app.database.read.updateTable('team_types').set({ properties: '{}' }).where('id', '=', type).execute()
})
