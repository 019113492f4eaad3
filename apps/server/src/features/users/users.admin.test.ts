import { roles } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import { openStream, password, send, startServer, type TestUser, until } from '../../../testing/index.ts'
import { openUsers } from './testing/users.world.ts'

let user: TestUser
const { mails, server, admin, call } = await openUsers()
beforeEach(async () => {
  user = await server.build.user()
})

const update = (body: object, of: TestUser = user) => call('PUT', `/api/v1/users/${of.id}`, body)
const get = async (id = user.id) => (await call('GET', `/api/v1/users/${id}`)).json
const signIn = (username: string, secret = password) =>
  send(server.address, 'POST', '/account/login', { body: { username, password: secret } })
const lastEvent = async (id: string, event: string) => {
  const row = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('scope_id', '=', id)
    .where('event', '=', event)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return { by: row.trigger_id, body: JSON.parse(row.body) as object }
}
let serial = 0
const person = () => {
  const username = `made-${(serial += 1)}`
  return { username, email: `${username}@example.com`, password }
}
const usernames = (json: Record<string, unknown>) => (json.users as { username: string }[]).map((one) => one.username)

test('[API-65] [PERM-09] a user record has every field, and only administrators read that of others', async () => {
  await update({ password_expired: true })
  expect(await get()).toEqual({
    id: user.id,
    username: user.username,
    name: user.username,
    email: `${user.username}@example.com`,
    avatar: expect.stringContaining('/avatar/'),
    admin: false,
    createdAt: expect.any(String),
    suspended: false,
    email_verified: true,
    password_expired: true,
    mfa: false,
  })
  expect((await call('GET', '/api/v1/users/nobody')).status).toBe(404)
  const other = await server.build.user()
  expect((await call('GET', `/api/v1/users/${admin.id}`, undefined, other)).status).toBe(403)
  const own = await call('GET', `/api/v1/users/${other.id}`, undefined, other)
  expect([own.status, own.json.id]).toEqual([200, other.id])
})

test('[PERM-09] [PERM-10] [PERM-12] everybody reads and edits the own record, and lists the own teams', async () => {
  const other = await server.build.user()
  const team = await server.build.team(other)
  const own = `/api/v1/users/${other.id}`
  expect(await call('GET', own, undefined, other)).toMatchObject({ status: 200, json: { username: other.username } })
  expect((await call('GET', `${own}/teams`, undefined, other)).json.teams).toMatchObject([{ id: team.id }])
  expect((await call('PUT', '/api/v1/user', { name: 'Olga Oven' }, other)).json).toMatchObject({ name: 'Olga Oven' })
  expect((await call('PUT', `/api/v1/users/${admin.id}`, { name: 'x' }, other)).status).toBe(403)
})

test.each([
  ['[PERM-07]', 'POST', () => '/api/v1/users', person()],
  ['[PERM-08]', 'GET', () => '/api/v1/users', undefined],
  ['[PERM-10]', 'PUT', () => `/api/v1/users/${admin.id}`, { name: 'x' }],
  ['[PERM-11]', 'DELETE', () => `/api/v1/users/${admin.id}`, undefined],
  ['[PERM-12]', 'GET', () => `/api/v1/users/${admin.id}/teams`, undefined],
  ['[PERM-13]', 'GET', () => '/api/v1/teams', undefined],
  ['[PERM-22]', 'GET', () => '/api/v1/admin/invitations', undefined],
  ['[PERM-24]', 'GET', () => '/api/v1/admin/stats', undefined],
])('%s an owner of a team may not %s what administrators have: %o', async (_row, method, path, body) => {
  await server.build.team(user)
  expect((await call(method, path(), body, user)).status).toBe(403)
})

test('[API-63] [API-64] [API-07] everybody stands in the list once, a page at a time, and is found by any word', async () => {
  const made = [await server.build.user({ name: 'Zoë Quux' }), await server.build.user({ name: 'Quuxley Zed' })]
  const walked: string[] = []
  let cursor: string | undefined
  do {
    const { json } = await call('GET', `/api/v1/users?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
    walked.push(...usernames(json))
    cursor = (json.meta as { next_cursor?: string }).next_cursor
  } while (cursor)
  const all = (await call('GET', '/api/v1/users')).json
  expect(walked).toEqual(usernames(all))
  expect(all.count).toBe(walked.length)
  for (const query of ['query=quux', 'search=QUUX'])
    expect(usernames((await call('GET', `/api/v1/users?${query}`)).json)).toEqual(made.map(({ username }) => username))
  expect(usernames((await call('GET', '/api/v1/users?query=zoe%20qu')).json)).toEqual([made[0]!.username])
  for (const query of [made[0]!.username, `${made[0]!.username}@example.com`])
    expect(usernames((await call('GET', `/api/v1/users?query=${query}`)).json)).toContain(made[0]!.username)
  expect((await call('GET', '/api/v1/users?query=nobody-like-this')).json).toEqual({ meta: {}, count: 0, users: [] })
})

test('somebody is found by a new name at once, and by the former one no more', async () => {
  await update({ username: 'wombat-one', name: 'Wombat' })
  const found = async (query: string) => usernames((await call('GET', `/api/v1/users?query=${query}`)).json)
  expect(await found('wombat')).toEqual(['wombat-one'])
  await update({ username: 'quokka-one', name: '' })
  expect([await found('wombat'), await found('quokka')]).toEqual([[], ['quokka-one']])
})

test('[API-68] [AUSER-24] [AUSER-17] an account is made with a name, a verified address and a team of its own', async () => {
  await server.build.teamType()
  const body = { ...person(), name: '', createDefaultTeam: true }
  const { json, status } = await call('POST', '/api/v1/users', body)
  expect(status).toBe(200)
  expect(json).toMatchObject({ username: body.username, name: body.username, email_verified: true, admin: false })
  expect(json.email).toBe(body.email)
  const id = String(json.id)
  expect(await lastEvent(id, 'users.created-user')).toMatchObject({ by: admin.id, body: { user: { id } } })
  expect(await lastEvent(id, 'users.auto-created-team')).toMatchObject({ body: { team: { slug: body.username } } })
  const teams = (await call('GET', `/api/v1/users/${id}/teams`)).json
  expect(teams).toMatchObject({ count: 1, teams: [{ slug: body.username, role: roles.owner }] })
  expect((await signIn(body.username)).status).toBe(200)
  const boss = await call('POST', '/api/v1/users', { ...person(), name: 'Boss', isAdmin: true })
  expect(boss.json).toMatchObject({ name: 'Boss', admin: true })
  expect((await call('GET', `/api/v1/users/${String(boss.json.id)}/teams`)).json).toMatchObject({ count: 0, teams: [] })
})

test('who gets a password from an administrator may be made to choose another one', async () => {
  const body = { ...person(), password_expired: true }
  await call('POST', '/api/v1/users', body)
  const cookie = (await signIn(body.username)).headers.getSetCookie()[0]!.split(';')[0]!
  const me = { ...user, cookie }
  expect((await call('GET', '/api/v1/user', undefined, me)).json.password_expired).toBe(true)
  expect((await call('GET', '/api/v1/user/teams', undefined, me)).status).toBe(401)
})

test('[AUSER-18] [AUSER-19] [AUSER-20] [AUSER-22] [AUSER-23] bad fields are refused in words, on making and on changing', async () => {
  const bad: [object, string, string][] = [
    [{ username: 'a b' }, 'username', 'Must only contain a-z 0-9 - _'],
    [{ username: 'аlice' }, 'username', 'Must only contain a-z 0-9 - _'],
    [{ username: '' }, 'username', 'Required field'],
    [{ email: 'nobody' }, 'email', 'Enter a valid email address'],
    [{ email: '' }, 'email', 'Enter a valid email address'],
    [{ name: 'http://x' }, 'name', 'Names can not be URLs'],
  ]
  for (const [change, field, text] of bad) {
    for (const answer of [await call('POST', '/api/v1/users', { ...person(), ...change }), await update(change)]) {
      expect(answer.status).toBe(400)
      expect(answer.text).toContain(text)
      expect(answer.text).toContain(field)
    }
  }
  const short = await call('POST', '/api/v1/users', { ...person(), password: '1234567' })
  expect(short.text).toContain('Password must be at least 8 characters')
  const weak = await call('POST', '/api/v1/users', { ...person(), password: 'password123' })
  expect([weak.status, weak.text]).toEqual([400, expect.stringMatching(/password/i)])
  expect((await get()).username).toBe(user.username)
})

test('[AUSER-25] [AUSER-28] [AUSER-31] names and addresses of others are taken, reserved ones as well, however they are written', async () => {
  const taken = { username: admin.username, email: `${admin.username}@example.com` }
  const wide = taken.email.replace('u', 'ｕ')
  const cases: [object, string, RegExp][] = [
    [{ username: taken.username.toUpperCase() }, 'invalid_username', /username/],
    [{ username: 'Root' }, 'invalid_username', /username/],
    [{ email: taken.email.toUpperCase() }, 'invalid_email', /^email must be unique$/],
    [{ email: wide }, 'invalid_email', /^email must be unique$/],
  ]
  for (const [change, code, error] of cases) {
    for (const answer of [await call('POST', '/api/v1/users', { ...person(), ...change }), await update(change)])
      expect(answer.json).toMatchObject({ code, error: expect.stringMatching(error) })
  }
  expect((await update({ username: user.username.toUpperCase() })).status).toBe(200)
})

test('of two who are given one name at once, one gets it', async () => {
  const body = person()
  const answers = await Promise.all([
    call('POST', '/api/v1/users', body),
    call('POST', '/api/v1/users', { ...body, email: `other-${body.email}` }),
  ])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.find(({ status }) => status === 400)!.json.code).toBe('invalid_username')
})

test('[API-69] each field changes by itself, and the log says from what to what', async () => {
  const changes: [object, object][] = [
    [{ name: 'Somebody Else' }, { name: 'Somebody Else' }],
    [{ name: '' }, { name: user.username }],
    [{ admin: true }, { admin: true }],
    [{ admin: false }, { admin: false }],
    [{ suspended: true }, { suspended: true }],
    [{ suspended: false }, { suspended: false }],
    [{ username: `${user.username}-two` }, { username: `${user.username}-two` }],
    [{ email: `${user.username}-two@example.com` }, { email: `${user.username}-two@example.com` }],
    [{ email_verified: false }, { email_verified: false }],
    [{ email_verified: true }, { email_verified: true }],
    [{ password_expired: true }, { password_expired: true }],
  ]
  for (const [patch, result] of changes) {
    const before = await get()
    const { json } = await update(patch)
    expect(json).toEqual({ ...before, ...result, ...('name' in result ? { avatar: json.avatar } : {}) })
    const updates = Object.entries(result).map(([key, value]) =>
      expect.objectContaining({ key, new: value, old: before[key] ?? false }),
    )
    expect((await lastEvent(user.id, 'users.updated-user')).body).toMatchObject({ updates })
  }
})

test('a new address counts at once; the former one is told, and links that went there work no more', async () => {
  const link = (await call('POST', `/api/v1/users/${user.id}/links`, { purpose: 'reset-password' })).json
  expect((await update({ email: 'moved@example.com' })).json).toMatchObject({ email: 'moved@example.com' })
  expect((await mails.to(`${user.username}@example.com`)).parsed.subject).toBe('Your e-mail address was changed')
  const token = String(link.url).split('/').at(-1)
  expect(
    (await send(server.address, 'POST', `/account/reset_password/${token}`, { body: { password: 'battery staple 5' } }))
      .status,
  ).toBe(400)
  expect((await signIn('moved@example.com')).status).toBe(200)
})

test('nobody takes the admin role from themself, suspends or deletes themself, and the last administrator stays', async () => {
  expect((await update({ admin: false }, admin)).json).toMatchObject({
    code: 'invalid_request',
    error: expect.stringContaining('admin role'),
  })
  expect((await update({ suspended: true }, admin)).status).toBe(400)
  expect((await call('DELETE', `/api/v1/users/${admin.id}`)).json).toMatchObject({ code: 'invalid_request' })
  expect((await call('GET', '/api/v1/user')).json).toMatchObject({ admin: true, suspended: false })
})

test('of two administrators who turn on each other at once, one is left', async () => {
  for (const [method, body] of [
    ['PUT', { admin: false }],
    ['PUT', { suspended: true }],
    ['DELETE', undefined],
  ] as const) {
    const own = await startServer()
    const [one, two] = [await own.build.user({ admin: true }), await own.build.user({ admin: true })]
    const at = (from: TestUser, to: TestUser) =>
      send(own.address, method, `/api/v1/users/${to.id}`, { headers: { cookie: from.cookie }, body })
    await Promise.all([at(one, two), at(two, one)])
    const left = await own.app.database.read
      .selectFrom('users')
      .select('id')
      .where('admin', '=', 1)
      .where('suspended', '=', 0)
      .execute()
    expect(left).toHaveLength(1)
    await own.close()
  }
})

test('who is made no administrator any more is out at once', async () => {
  const other = await server.build.user({ admin: true })
  const stream = await openStream(server.address, { cookie: other.cookie })
  await update({ admin: false }, other)
  expect((await call('GET', '/api/v1/users', undefined, other)).status).toBe(401)
  await until(
    async () => stream.ended(),
    (over) => over,
  )
})

test('[API-67] a user is deleted with everything of theirs, and out at once', async () => {
  const stream = await openStream(server.address, { cookie: user.cookie })
  const team = await server.build.team(user)
  const refused = await call('DELETE', `/api/v1/users/${user.id}`)
  expect(refused.json).toMatchObject({ code: 'unexpected_error', error: expect.stringContaining(team.name) })
  expect((await call('GET', '/api/v1/user', undefined, user)).status).toBe(200)
  await call('DELETE', `/api/v1/teams/${team.id}`)
  expect((await call('DELETE', `/api/v1/users/${user.id}`)).json).toEqual({ status: 'okay' })
  expect((await call('GET', '/api/v1/user', undefined, user)).status).toBe(401)
  await until(
    async () => stream.ended(),
    (over) => over,
  )
  expect((await call('GET', `/api/v1/users/${user.id}`)).status).toBe(404)
  expect((await signIn(user.username)).status).toBe(401)
  expect(await lastEvent(user.id, 'users.deleted-user')).toMatchObject({
    by: admin.id,
    body: { user: { username: user.username } },
  })
  expect((await call('GET', `/api/v1/users?query=${user.username}`)).json.users).not.toContainEqual(
    expect.objectContaining({ id: user.id }),
  )
})

test('[API-66] the teams of a user stand with role, type and counts', async () => {
  const team = await server.build.team(await server.build.user())
  const member = await server.build.member(team, roles.viewer)
  expect((await call('GET', `/api/v1/users/${member.id}/teams`)).json).toMatchObject({
    count: 1,
    teams: [
      {
        id: team.id,
        role: roles.viewer,
        roleName: 'viewer',
        memberCount: 2,
        instanceCount: 0,
        type: { name: 'Standard' },
      },
    ],
  })
  expect((await call('GET', '/api/v1/users/nobody/teams')).status).toBe(404)
  const teams = `/api/v1/users/${member.id}/teams`
  expect((await call('GET', teams, undefined, member)).json).toMatchObject({ count: 1, teams: [{ id: team.id }] })
  expect((await call('GET', teams, undefined, user)).status).toBe(403)
})
