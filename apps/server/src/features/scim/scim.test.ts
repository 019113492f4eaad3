import { expect, test } from 'vitest'
import { openDirectory, openServer, password, send, startServer, testClock } from '../../../testing/index.ts'

const clock = testClock()
const day = 24 * 3_600_000
const server = await openServer({ clock })
const admin = await server.build.user({ admin: true })
const directory = await openDirectory(server, admin)

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const events = async (event: string) =>
  (await server.app.database.read.selectFrom('audit_log').selectAll().where('event', '=', event).execute()).map(
    (row) => ({
      by: row.trigger_name,
      body: JSON.parse(row.body) as Record<string, never>,
    }),
  )
const account = async (id: string) => admin.client.call('user.get', { params: { userId: id } })
const names = async (filter: string) =>
  ((await directory.find('/Users', filter)).json.Resources as { userName: string }[]).map(({ userName }) => userName)

test('a token is shown once, kept as a hash, tells its last use, and works until it expires or is revoked', async () => {
  const expiresAt = new Date(clock.now() + day).toISOString()
  const body = { name: 'Short', directory: 'Elsewhere', expiresAt }
  const { token, ...made } = await admin.client.call('scim.createToken', { body })
  expect(token).toMatch(/^ffscim_/)
  const ask = () => send(server.address, 'GET', '/scim/v2/Users', bearer(token))
  expect((await ask()).json).toMatchObject({ totalResults: 0 })
  const listed = (await admin.client.call('scim.tokens')).tokens.find(({ id }) => id === made.id)
  expect(listed).toEqual({ ...made, lastUsedAt: expect.any(String) })
  const rows = await server.app.database.read.selectFrom('scim_tokens').selectAll().execute()
  expect(JSON.stringify([rows, await events('platform.scim-token.created')])).not.toContain(token)
  expect((await send(server.address, 'GET', '/api/v1/users', bearer(token))).status).toBe(403)
  clock.turn(day)
  expect(await ask()).toMatchObject({
    status: 401,
    json: { status: '401', schemas: [expect.stringContaining('Error')] },
  })

  const other = await admin.client.call('scim.createToken', { body: { ...body, expiresAt: null } })
  await admin.client.call('scim.deleteToken', { params: { tokenId: other.id } })
  expect((await send(server.address, 'GET', '/scim/v2/Users', bearer(other.token))).status).toBe(401)
  expect(await events('platform.scim-token.deleted')).toHaveLength(1)
  const past = { ...body, expiresAt: new Date(clock.now() - day).toISOString() }
  await expect(admin.client.call('scim.createToken', { body: past })).rejects.toMatchObject({ status: 400 })
})

test('without a SCIM token nothing is answered, not even to an administrator', async () => {
  const ask = (cookie: string) => send(server.address, 'GET', '/scim/v2/Users', { headers: { cookie } })
  for (const cookie of ['', admin.cookie]) expect((await ask(cookie)).status).toBe(401)
  const person = await server.build.user()
  await expect(person.client.call('scim.tokens')).rejects.toMatchObject({ status: 403 })
})

test('while single sign-on is off, nothing of SCIM is there', async () => {
  await server.build.setting('user:sso', false)
  expect((await directory.call('GET', '/Users')).status).toBe(404)
  await expect(admin.client.call('scim.tokens')).rejects.toMatchObject({ status: 404 })
  await server.build.setting('user:sso', true)
  expect((await directory.call('GET', '/Users')).status).toBe(200)
})

test('discovery tells what the server can do, in the media type of SCIM', async () => {
  const config = await directory.call('GET', '/ServiceProviderConfig')
  expect(config.headers.get('content-type')).toBe('application/scim+json; charset=utf-8')
  expect(config.json).toMatchObject({ patch: { supported: true }, bulk: { supported: false } })
  expect((await directory.call('GET', '/ResourceTypes/User')).json).toMatchObject({ endpoint: '/Users' })
  expect((await directory.call('GET', '/Schemas')).json).toMatchObject({ totalResults: 3 })
  const schema = '/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group'
  expect((await directory.call('GET', schema)).json).toMatchObject({ name: 'Group' })
  expect(await directory.call('GET', '/Nothing')).toMatchObject({ status: 404, json: { status: '404' } })
})

test('lists are filtered and come in portions', async () => {
  for (const name of ['p1', 'p2', 'p3'])
    await directory.user(`${name}@list.example`, { externalId: `X-${name}`, displayName: `Person ${name}` })
  expect(await names('userName eq "P2@LIST.example"')).toEqual(['p2@list.example'])
  expect(await names('externalId eq "X-p3"')).toEqual(['p3@list.example'])
  expect(await names('externalId eq "x-p3"')).toEqual([])
  expect(await names('emails[type eq "work" and value eq "p1@list.example"]')).toEqual(['p1@list.example'])
  expect(await names('emails.value eq "p1@list.example" or displayName eq "person P2"')).toHaveLength(2)
  expect(await names('userName sw "p" and not (userName co "2@list")')).toEqual(['p1@list.example', 'p3@list.example'])
  expect(await names('userName eq "%"')).toEqual([])
  expect(await names('active eq true and userName ew "list.example"')).toHaveLength(3)
  const page = (await directory.call('GET', '/Users?startIndex=2&count=1&attributes=userName')).json
  expect(page).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 })
  const [one] = page.Resources as object[]
  expect(Object.keys(one!).sort()).toEqual(['id', 'schemas', 'userName'])
  expect((await directory.call('GET', '/Users?count=0')).json).toMatchObject({ totalResults: 3, Resources: [] })
  for (const bad of ['userName', 'userName zz "a"', 'title eq "x"', 'userName eq "a', '(userName eq "a"', 'a.b.c eq 1'])
    expect((await directory.find('/Users', bad)).json).toMatchObject({ status: '400', scimType: 'invalidFilter' })
})

test('a body that is wrong is refused in the words of SCIM and changes nothing', async () => {
  const post = (body: unknown) => directory.call('POST', '/Users', body)
  expect((await post('{')).json).toMatchObject({ status: '400' })
  expect((await post({ displayName: 'Nobody' })).json).toMatchObject({ scimType: 'invalidValue' })
  expect((await post({ userName: 'no-address' })).json).toMatchObject({ scimType: 'invalidValue' })
  expect((await post({ userName: 'a@b.example', active: 'perhaps' })).json).toMatchObject({ scimType: 'invalidValue' })
  expect((await post('{"userName":"a@b.example","__proto__":{"admin":true}}')).status).toBe(400)
  expect((await post({ userName: 'a\u0000@b.example' })).status).toBe(400)
  const id = await directory.user('kept@b.example')
  const faults: [object, string][] = [
    [{ op: 'move', path: 'active', value: true }, 'invalidSyntax'],
    [{ op: 'replace', path: 'emails[', value: 1 }, 'invalidPath'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    [{ op: 'replace', path: 'emails[value co "zzz"].value', value: 'x' }, 'noTarget'],
    [{ op: 'remove', path: 'userName' }, 'invalidValue'],
  ]
  for (const [operation, scimType] of faults)
    expect((await directory.patch(`/Users/${id}`, operation)).json).toMatchObject({ status: '400', scimType })
  expect((await account(id)).email).toBe('kept@b.example')
  expect((await directory.patch('/Users/none', { op: 'remove', path: 'title' })).status).toBe(404)
})

test('a directory sees and changes the accounts alone that it provisioned', async () => {
  const local = await server.build.user({ username: 'local' })
  expect((await directory.call('GET', `/Users/${local.id}`)).status).toBe(404)
  expect((await directory.call('DELETE', `/Users/${admin.id}`)).status).toBe(404)
  const own = await directory.user('own@example.org')
  const other = await openDirectory(server, admin, { directory: 'Other' })
  expect((await other.call('GET', `/Users/${own}`)).status).toBe(404)
  expect((await other.call('POST', '/Users', { userName: 'own@example.org' })).json).toMatchObject({ status: '409' })
  const second = await openDirectory(server, admin)
  expect((await second.call('GET', `/Users/${own}`)).status).toBe(200)
})

test('an account that exists is taken over only by a token that may, and never that of an administrator', async () => {
  const local = await server.build.user({ username: 'present' })
  const body = { userName: 'present@example.com', displayName: 'Present Person' }
  expect((await directory.call('POST', '/Users', body)).json).toMatchObject({ status: '409', scimType: 'uniqueness' })
  const adopting = await openDirectory(server, admin, { directory: 'Adopting', adoptExisting: true })
  const taken = await adopting.call('POST', '/Users', body)
  expect(taken).toMatchObject({ status: 201, json: { id: local.id, active: true } })
  expect(await account(local.id)).toMatchObject({ username: 'present', name: 'Present Person' })
  const boss = await server.build.user({ admin: true, username: 'boss' })
  const refused = await adopting.call('POST', '/Users', { userName: 'boss@example.com' })
  expect(refused.json).toMatchObject({ status: '409' })
  expect((await account(boss.id)).name).toBe('boss')
})

test('deleting ends sessions and tokens at once; created again, the person has the same account', async () => {
  const adopting = await openDirectory(server, admin, { directory: 'Leaving', adoptExisting: true })
  const person = await server.build.user({ username: 'leaver' })
  const { token } = await person.client.call('tokens.create', {
    body: { name: 'CI', scopes: ['user:read'], expiresAt: null },
  })
  const id = await adopting.user('leaver@example.com')
  expect(id).toBe(person.id)
  const group = await adopting.call('POST', '/Groups', { displayName: 'Leavers', members: [{ value: id }] })
  expect((await adopting.call('DELETE', `/Users/${id}`)).status).toBe(204)
  await expect(person.client.call('account.get')).rejects.toMatchObject({ status: 401 })
  expect((await send(server.address, 'GET', '/api/v1/user', bearer(token))).status).toBe(401)
  const login = { body: { username: 'leaver', password } }
  expect((await send(server.address, 'POST', '/account/login', login)).json).toMatchObject({ code: 'user_suspended' })
  expect((await adopting.call('GET', `/Users/${id}`)).status).toBe(404)
  expect((await adopting.find('/Users', 'userName eq "leaver@example.com"')).json).toMatchObject({ totalResults: 0 })
  expect((await adopting.call('GET', `/Groups/${String(group.json.id)}`)).json.members).toEqual([])
  const again = await adopting.user('leaver@example.com')
  expect(again).toBe(id)
  expect((await account(id)).suspended).toBe(false)
  const changes = await events('users.updated-user')
  expect(changes.filter(({ by }) => by === 'SCIM token “Directory”').length).toBeGreaterThan(2)
})

test('the last administrator is not suspended, and what an administrator suspended stays so', async () => {
  const own = await startServer()
  const boss = await own.build.user({ admin: true })
  const company = await openDirectory(own, boss)
  const id = await company.user('next@example.org')
  await boss.client.call('user.update', { params: { userId: id }, body: { admin: true } })
  const open = () =>
    own.app.database.transact((tx) =>
      own.app.services.sessions.open(tx, id, { address: '127.0.0.1', userAgent: 'test' }),
    )
  const cookie = `${own.app.services.sessionCookie.name}=${await open()}`
  const demote = { headers: { cookie, origin: own.config.baseUrl }, body: { admin: false } }
  const demoted = () => send(own.address, 'PUT', `/api/v1/users/${boss.id}`, demote)
  // The directory made the other account, whose password nobody knows.
  expect(await demoted()).toMatchObject({ status: 400, json: { error: expect.stringContaining('with a password') } })
  const made = await boss.client.call('user.makeLink', {
    params: { userId: id },
    body: { purpose: 'reset-password' },
  })
  const token = made.url.split('/').at(-1)!
  const body = { password: 'battery staple 7' }
  expect((await send(own.address, 'POST', `/account/reset_password/${token}`, { body })).status).toBe(200)
  demote.headers.cookie = `${own.app.services.sessionCookie.name}=${await open()}`
  expect((await demoted()).status).toBe(200)
  for (const answer of [
    await company.call('DELETE', `/Users/${id}`),
    await company.patch(`/Users/${id}`, { op: 'replace', value: { active: false } }),
  ])
    expect(answer).toMatchObject({ status: 403, json: { detail: expect.stringContaining('last administrator') } })
  expect((await company.call('GET', `/Users/${id}`)).json.active).toBe(true)

  const person = await company.user('person@example.org')
  const suspend = { headers: demote.headers, body: { suspended: true } }
  await send(own.address, 'PUT', `/api/v1/users/${person}`, suspend)
  const lifted = await company.patch(`/Users/${person}`, { op: 'replace', path: 'active', value: true })
  expect(lifted.json.active).toBe(false)
  await own.close()
})

test('groups have names and members of their own directory, and people show their groups', async () => {
  const [ada, bob] = [await directory.user('ada@groups.example'), await directory.user('bob@groups.example')]
  const made = await directory.call('POST', '/Groups', {
    displayName: 'Line 3',
    externalId: 'G-3',
    members: [{ value: ada }, { value: ada }],
  })
  expect(made).toMatchObject({ status: 201, json: { members: [{ value: ada, type: 'User' }] } })
  const path = `/Groups/${String(made.json.id)}`
  expect(made.headers.get('location')).toBe(`${server.config.baseUrl}/scim/v2${path}`)
  expect((await directory.call('POST', '/Groups', { displayName: 'LINE 3' })).json).toMatchObject({ status: '409' })
  const stranger = { op: 'add', path: 'members', value: [{ value: admin.id }] }
  expect((await directory.patch(path, stranger)).json).toMatchObject({ scimType: 'invalidValue' })
  expect((await directory.patch(path, { op: 'add', path: 'members', value: [{ value: bob }] })).status).toBe(204)
  expect((await directory.call('GET', `/Users/${bob}`)).json.groups).toMatchObject([{ display: 'Line 3' }])
  const found = (await directory.find('/Groups', 'externalId eq "G-3"')).json.Resources as object[]
  expect(found).toMatchObject([{ displayName: 'Line 3', members: [{ value: ada }, { value: bob }] }])
  const replaced = await directory.call('PUT', path, { displayName: 'Line 4', members: [{ value: bob }] })
  expect(replaced.json).toMatchObject({ displayName: 'Line 4', members: [{ value: bob }] })
  const groups = (await admin.client.call('scim.groups')).groups
  expect(groups.filter(({ directory: of }) => of === 'Example')).toMatchObject([{ name: 'Line 4', members: 1 }])
  expect((await directory.call('DELETE', path)).status).toBe(204)
  expect((await directory.call('GET', `/Users/${bob}`)).json.groups).toEqual([])
  const [created] = await events('platform.scim-group.created')
  expect([created?.by, created?.body]).toEqual(['SCIM token “Directory”', expect.anything()])
  expect(await events('platform.scim-group.updated')).toHaveLength(2)
  expect(await events('platform.scim-group.deleted')).toHaveLength(1)
})

test('user names of the directory become user names of the platform, none of them twice', async () => {
  const wanted = ['Zoë.Müller@one.example', 'zoe-muller@two.example', 'admin@one.example', '日本@one.example']
  const ids = await Promise.all(wanted.map((name) => directory.user(name)))
  const made = await Promise.all(ids.map(account))
  expect(made[0]!.username.toLowerCase()).toMatch(/^zoe-muller/)
  expect(made[2]!.username).toBe('admin-2')
  expect(made[3]!.username).toMatch(/^user/)
  expect(new Set(made.map(({ username }) => username.toLowerCase())).size).toBe(4)
})
