import { roles } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import {
  openMailServer,
  openServer,
  openStream,
  password,
  send,
  startServer,
  statusesOf,
  testClock,
  type TestTeam,
  type TestUser,
  tokenIn,
} from '../../../testing/index.ts'

const day = 24 * 3_600_000
const clock = testClock()
let owner: TestUser
let user: TestUser
let team: TestTeam
const mails = await openMailServer()
const server = await openServer({ clock, config: { mail: mails.mail, trustProxy: ['loopback'] } })
beforeEach(async () => {
  ;[owner, user] = [await server.build.user(), await server.build.user()]
  team = await server.build.team(owner)
  await server.build.setting('team:user:invite:external', true)
})

let serial = 0
const call = (method: string, path: string, as: TestUser, body?: unknown) => {
  const from = { 'x-forwarded-for': `10.4.0.${(serial += 1) & 255}` }
  return send(server.address, method, path, { headers: { ...from, cookie: as.cookie }, body })
}
const path = () => `/api/v1/teams/${team.id}/invitations`
const invite = (people: string, role?: number) => call('POST', path(), owner, { user: people, ...(role && { role }) })
type Listed = Record<string, unknown>
async function listOf(address: string, as: TestUser): Promise<Listed[]> {
  const { count, invitations } = (await call('GET', address, as)).json as { count: number; invitations: Listed[] }
  expect(count).toBe(invitations.length)
  return invitations
}
const mine = (as: TestUser = user) => listOf('/api/v1/user/invitations', as)
const answer = (method: 'PATCH' | 'DELETE', id: unknown, as: TestUser = user) =>
  call(method, `/api/v1/user/invitations/${String(id)}`, as)
const roleOf = async (as: TestUser) => (await call('GET', `/api/v1/teams/${team.id}/user`, as)).json.role
const events = async (scope: string) =>
  (
    await server.app.database.read
      .selectFrom('audit_log')
      .selectAll()
      .where('scope_id', '=', scope)
      .where('event', 'like', '%invit%')
      .orderBy('id')
      .execute()
  ).map(({ event, body }) => [event, JSON.parse(body) as object])
/** Signs up with an address and uses the link that comes. */
async function arrive(username: string, email: string): Promise<TestUser> {
  const from = { 'x-forwarded-for': `10.5.0.${(serial += 1) & 255}` }
  const made = await send(server.address, 'POST', '/account/register', {
    body: { username, email, password },
    headers: from,
  })
  expect(made.status).toBe(200)
  const token = tokenIn(await mails.to(email))
  const verified = send(server.address, 'POST', `/account/verify/${token}`, { headers: from, body: { password } })
  expect((await verified).status).toBe(200)
  const login = await send(server.address, 'POST', '/account/login', { body: { username, password }, headers: from })
  return { ...user, id: String(made.json.id), username, cookie: login.headers.getSetCookie()[0]!.split(';')[0]! }
}

test('[ATEAM-12] [ATEAM-14] an invitation has the fields of old and new clients', async () => {
  expect((await invite(user.username)).json).toEqual({ status: 'okay' })
  const [invitation, ...more] = await mine()
  expect(more).toEqual([])
  const expiresAt = new Date(clock.now() + 7 * day).toISOString()
  expect(invitation).toEqual({
    id: expect.any(String),
    role: roles.member,
    roleName: 'member',
    createdAt: new Date(clock.now()).toISOString(),
    expiresAt,
    expires: expiresAt,
    sentAt: expect.any(String),
    team: { id: team.id, name: team.name, slug: team.slug, avatar: expect.stringContaining('/avatar/') },
    invitor: expect.objectContaining({ id: owner.id, username: owner.username }),
    invitee: expect.objectContaining({ id: user.id, username: user.username }),
  })
})

test('[ATEAM-16] [AUSER-36] [API-26] [API-70] [API-113] an invitation stands alike in the lists of the team, the person and the platform', async () => {
  await invite(user.username)
  const [invitation] = await mine()
  expect(await listOf(path(), owner)).toEqual([invitation])
  const admin = await server.build.user({ admin: true })
  expect(await listOf('/api/v1/admin/invitations', admin)).toContainEqual(invitation)
  await call('POST', `/api/v1/teams/${(await server.build.team(owner)).id}/invitations`, owner, { user: user.username })
  expect(await mine()).toHaveLength(2)
  expect(await listOf(path(), owner)).toEqual([invitation])
  expect(await mine(owner)).toEqual([])
})

test('[PERM-23] invitations are listed for owners of the team, and all for administrators', async () => {
  const member = await server.build.member(team, roles.member)
  const admin = await server.build.user({ admin: true })
  const statuses = async (address: string) =>
    Promise.all([owner, member, admin].map(async (as) => (await call('GET', address, as)).status))
  expect([await statuses(path()), await statuses('/api/v1/admin/invitations')]).toEqual([
    [200, 403, 200],
    [403, 403, 200],
  ])
})

test('the person invited is told by mail where to answer, with the names as names', async () => {
  await server.app.database.read
    .updateTable('teams')
    .set({ name: 'www.evil.com\r\nBcc: x@y.z' })
    .where('id', '=', team.id)
    .execute()
  await invite(`${user.username}@example.com`, roles.viewer)
  const { parsed, to } = await mails.to(`${user.username}@example.com`)
  expect(to).toEqual([`${user.username}@example.com`])
  expect(parsed.headers.map(({ key }) => key)).not.toEqual(expect.arrayContaining(['bcc']))
  expect(parsed.subject).toBe('You are invited into a team')
  expect(parsed.text).toContain('“www. evil. com Bcc: x@ y. z”')
  expect(parsed.text).toContain(`${server.config.baseUrl}/account/teams/invitations`)
  expect(parsed.text).toContain('as viewer')
})

test('[ATEAM-09] [ATEAM-11] [API-27] an invitation is accepted once, and the member hears of the team at once', async () => {
  await invite(user.username, roles.owner)
  const [invitation] = await mine()
  const stream = await openStream(server.address, { cookie: user.cookie })
  expect((await answer('PATCH', invitation!.id)).json).toEqual({ status: 'okay' })
  await stream.heard((event) => event.type === 'team' && event.team === team.id)
  stream.close()
  expect(await roleOf(user)).toBe(roles.owner)
  expect([(await answer('PATCH', invitation!.id)).status, (await answer('DELETE', invitation!.id)).status]).toEqual([
    404, 404,
  ])
  expect(await mine()).toEqual([])
  const about = { user: { id: user.id, role: 'owner' } }
  expect(await events(team.id)).toMatchObject([
    ['team.user.invited', about],
    ['team.user.invite.accepted', about],
  ])
  expect(await events(user.id)).toMatchObject([['user.invitation.accepted', {}]])
})

test('[ATEAM-10] [API-28] a rejected invitation is gone', async () => {
  await invite(user.username)
  const [invitation] = await mine()
  expect((await answer('DELETE', invitation!.id)).json).toEqual({ status: 'okay' })
  expect([await mine(), (await answer('PATCH', invitation!.id)).status]).toEqual([[], 404])
  expect((await call('GET', `/api/v1/teams/${team.id}`, user)).status).toBe(404)
  expect(await events(team.id)).toMatchObject([
    ['team.user.invited', {}],
    ['team.user.invite.rejected', {}],
  ])
  expect(await events(user.id)).toMatchObject([['user.invitation.deleted', {}]])
  expect((await invite(user.username)).json).toEqual({ status: 'okay' })
})

test('an invitation is for whom it is for, and is accepted once also when it is accepted several times at once', async () => {
  await invite(user.username)
  const [invitation] = await mine()
  const other = await server.build.user()
  for (const method of ['PATCH', 'DELETE'] as const)
    expect((await answer(method, invitation!.id, other)).status).toBe(404)
  expect(statusesOf(await Promise.all([1, 2, 3].map(() => answer('PATCH', invitation!.id))))).toEqual([200, 404, 404])
})

test('after seven days an invitation is neither shown nor accepted, and another one may follow', async () => {
  await invite(user.username)
  const [invitation] = await mine()
  clock.turn(24 * 3_600_000)
  for (let days = 1; days < 7; days++) {
    expect((await mine()).length).toBe(1)
    clock.turn(day)
  }
  user = { ...user, cookie: await fresh(user) }
  owner = { ...owner, cookie: await fresh(owner) }
  expect([await mine(), (await answer('PATCH', invitation!.id)).status]).toEqual([[], 404])
  expect((await invite(user.username)).json).toEqual({ status: 'okay' })
  expect(await mine()).toHaveLength(1)
})

/** A new session: the one before has ended of age. */
async function fresh({ id }: TestUser): Promise<string> {
  const { database, services } = server.app
  return `sid=${await database.transact((tx) => services.sessions.open(tx, id, { address: '', userAgent: '' }))}`
}

test('[API-71] an owner withdraws an invitation of the own team, and no other', async () => {
  await invite(user.username)
  const [invitation] = await mine()
  const stranger = await server.build.user()
  const elsewhere = await server.build.team(stranger)
  const of = (teamId: string) => `/api/v1/teams/${teamId}/invitations/${String(invitation!.id)}`
  expect((await call('DELETE', of(elsewhere.id), stranger)).status).toBe(404)
  expect((await call('DELETE', of(team.id), owner)).json).toEqual({ status: 'okay' })
  expect([await mine(), (await call('DELETE', of(team.id), owner)).status]).toEqual([[], 404])
  expect(await events(team.id)).toMatchObject([
    ['team.user.invited', {}],
    ['team.user.uninvited', { user: { id: user.id } }],
  ])
  await invite(user.username)
  const [again] = await mine()
  const admin = await server.build.user({ admin: true })
  const answer = await call('DELETE', `${path()}/${String(again!.id)}`, admin)
  expect([answer.json, await mine()]).toEqual([{ status: 'okay' }, []])
})

test('[API-114] several at once: who can be invited is, and of each other input it is said why not', async () => {
  const member = await server.build.member(team, roles.viewer)
  const known = await server.build.user()
  await invite(known.username)
  const people = [user.username, member.username, known.username, 'nobody-here', 'a@b@c'].join(', ')
  expect((await invite(people)).json).toEqual({
    code: 'invitation_failed',
    error: {
      [member.username]: 'Already a member of the team',
      [known.username]: 'Already invited',
      'nobody-here': 'There is no user of this name',
      'a@b@c': 'This is not a mail address',
    },
  })
  expect(await mine()).toHaveLength(1)
})

test('one person under two names is invited once; more than five are too many', async () => {
  expect((await invite(`${user.username}, ${user.username.toUpperCase()}, ${user.username}@example.com`)).json).toEqual(
    {
      status: 'okay',
    },
  )
  expect(await listOf(path(), owner)).toHaveLength(1)
  expect(await invite('a,b,c,d,e,f')).toMatchObject({ status: 429, json: { code: 'too_many_invites' } })
  expect((await invite(' , ,')).json).toMatchObject({ code: 'invalid_request', fields: { user: expect.any(String) } })
})

test.each([0, 7, 99, 51])('%i is no role of a team', async (role) => {
  const answer = await call('POST', path(), owner, { user: user.username, role })
  expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_team_role' } })
})

test('[MEMB-12] a full team invites nobody, and nobody can accept into it', async () => {
  await invite(user.username)
  const [invitation] = await mine()
  const limit = (userLimit: number) =>
    server.app.database.read
      .updateTable('team_types')
      .set({ properties: JSON.stringify({ userLimit }) })
      .execute()
  await limit(2)
  const other = await server.build.user()
  expect(await invite(other.username)).toMatchObject({ status: 400, json: { code: 'invitation_failed' } })
  await limit(1)
  expect(await answer('PATCH', invitation!.id)).toMatchObject({ status: 400, json: { code: 'invitation_failed' } })
  await limit(0)
  expect((await answer('PATCH', invitation!.id)).status).toBe(200)
})

test('the last seat of a team is taken once, however many accept at once', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => server.build.user()))
  await invite(people.map(({ username }) => username).join())
  const types = server.app.database.read.updateTable('team_types')
  await types.set({ properties: JSON.stringify({ userLimit: 2 }) }).execute()
  const ids = await Promise.all(people.map(async (one) => (await mine(one))[0]!.id))
  const answers = await Promise.all(people.map((one, n) => answer('PATCH', ids[n], one)))
  await types.set({ properties: '{}' }).execute()
  expect(statusesOf(answers)).toEqual([200, 400, 400, 400])
})

test('[ATEAM-13] [ATEAM-16] an address without an account is invited, may sign up while sign-up is off, and arrives in the team', async () => {
  const email = 'Newcomer@example.com'
  expect((await invite(email, roles.viewer)).json).toEqual({ status: 'okay' })
  const [invitation] = await listOf(path(), owner)
  expect(invitation!.invitee).toEqual({ external: true, email })
  const { parsed } = await mails.to(email)
  expect(parsed.text).toContain(`${server.config.baseUrl}/account/create?email=Newcomer%40example.com&code=ffin_`)
  await server.build.setting('user:signup', false)
  const newcomer = await arrive('newcomer', 'newcomer@example.com')
  expect(await roleOf(newcomer)).toBe(roles.viewer)
  expect(await listOf(path(), owner)).toEqual([])
  expect(await events(team.id)).toMatchObject([
    ['team.user.invited', { user: { email, role: 'viewer' } }],
    ['team.user.invite.accepted', { user: { username: 'newcomer', role: 'viewer' } }],
  ])
})

/** Signs up with the code of an invitation. */
const enter = (username: string, email: string, code: string) =>
  send(server.address, 'POST', '/account/register', {
    body: { username, email, password, code },
    headers: { 'x-forwarded-for': `10.6.0.${(serial += 1) & 255}` },
  })
const codeFor = async (email: string, count = 1) => {
  const text = (await mails.to(email, count)).parsed.text ?? ''
  return /code=(ffin_\S+)/.exec(text)?.[1] ?? ''
}

test('the code of the mail proves the address: who signs up with it is in the team at once, without a second mail', async () => {
  const email = 'coded@example.com'
  await invite(email)
  await server.build.setting('user:signup', false)
  const code = await codeFor(email)
  const made = await enter('coded', 'Coded@Example.com', code)
  expect([made.status, made.json.email_verified, made.headers.getSetCookie()]).toEqual([200, true, []])
  const members = (await call('GET', `/api/v1/teams/${team.id}/members`, owner)).json.members as Listed[]
  expect(members).toContainEqual(expect.objectContaining({ username: 'coded', role: roles.member }))
  expect(await listOf(path(), owner)).toEqual([])
  expect(mails.received.filter(({ to }) => to.includes('Coded@Example.com'))).toEqual([])
  const rows = await server.app.database.read
    .selectFrom('audit_log')
    .select('event')
    .where('scope_id', '=', String(made.json.id))
    .orderBy('id')
    .execute()
  expect(rows.map(({ event }) => event)).toEqual(['account.register', 'account.verify.verify-token'])
})

test('a code counts for its address alone, while the invitation waits, and not after a newer one', async () => {
  await invite('first@example.com, second@example.com, third@example.com, fourth@example.com')
  await server.build.setting('user:signup', true)
  const verified = async (email: string, code: string) => {
    const { json } = await enter(email.split('@')[0] ?? '', email, code)
    return json.email_verified
  }
  const [first, third] = [await codeFor('first@example.com'), await codeFor('third@example.com')]
  expect(await verified('second@example.com', first)).toBe(false)
  expect(await verified('stranger@example.com', first)).toBe(false)
  expect(await verified('nobody@example.com', 'ffin_made-up')).toBe(false)
  clock.turn(3_600_000)
  const waiting = await listOf(path(), owner)
  const idOf = (email: string) => waiting.find(({ invitee }) => (invitee as Listed).email === email)?.id
  await call('POST', `${path()}/${String(idOf('third@example.com'))}`, owner)
  const renewed = await codeFor('third@example.com', 2)
  expect(renewed).not.toBe(third)
  expect(await verified('third@example.com', third)).toBe(false)
  const fourth = await codeFor('fourth@example.com')
  await call('DELETE', `${path()}/${String(idOf('fourth@example.com'))}`, owner)
  expect(await verified('fourth@example.com', fourth)).toBe(false)
  clock.turn(7 * day)
  expect(await verified('first@example.com', first)).toBe(false)
  const rows = await server.app.database.read.selectFrom('invitations').selectAll().execute()
  for (const code of [first, third, renewed, fourth]) expect(JSON.stringify(rows)).not.toContain(code)
})

test('the last seat of a team is given away once: to one of many invited at once, and not to an address when somebody was faster', async () => {
  const types = server.app.database.read.updateTable('team_types')
  const limit = (userLimit: number) => types.set({ properties: JSON.stringify({ userLimit }) }).execute()
  await limit(2)
  const asked = ['Seat-a', 'Seat-b', 'Seat-c', 'Seat-d'].map((name) => invite(`${name}@example.com`))
  expect(statusesOf(await Promise.all(asked))).toEqual([200, 400, 400, 400])
  const invited = (await listOf(path(), owner))[0]!.invitee as { email: string }
  // Somebody else gets the seat.
  await limit(3)
  await invite(user.username)
  await answer('PATCH', (await mine())[0]!.id)
  await limit(2)
  const late = await arrive('latecomer', invited.email.toLowerCase())
  expect(await roleOf(late)).toBeUndefined()
  const [waiting] = await mine(late)
  await limit(3)
  expect((await answer('PATCH', waiting!.id, late)).status).toBe(200)
  await limit(0)
})

test('an invited address belongs to nobody before it is proven', async () => {
  await invite('thief@example.com')
  await server.build.setting('user:signup', true)
  const body = { username: 'thief', email: 'thief@example.com', password }
  await send(server.address, 'POST', '/account/register', { body })
  expect(await listOf(path(), owner)).toHaveLength(1)
  const members = (await call('GET', `/api/v1/teams/${team.id}/members`, owner)).json
  expect(members.count).toBe(1)
})

test('people without an account cannot be invited where that is off, nor without mail', async () => {
  await server.build.setting('team:user:invite:external', false)
  expect((await invite('who@example.com')).json).toMatchObject({
    error: { 'who@example.com': 'People without an account cannot be invited on this platform' },
  })
  const silent = await startServer()
  await silent.build.setting('team:user:invite:external', true)
  const [one, two] = [await silent.build.user(), await silent.build.user()]
  const theirs = await silent.build.team(one)
  const said = await send(silent.address, 'POST', `/api/v1/teams/${theirs.id}/invitations`, {
    headers: { cookie: one.cookie },
    body: { user: `who@example.com, ${two.username}` },
  })
  expect(said.json).toMatchObject({ error: { 'who@example.com': expect.stringContaining('mail is not configured') } })
  expect((await two.client.call('invitation.mine')).invitations[0]).not.toHaveProperty('sentAt')
  await silent.close()
})

test('an invitation is mailed again, once a minute, and is good for another 7 days', async () => {
  await invite(user.username)
  const address = `${user.username}@example.com`
  await mails.to(address)
  const [{ id } = {}] = await listOf(path(), owner)
  const resend = (as: TestUser = owner) => call('POST', `${path()}/${String(id)}`, as)
  expect((await resend()).json).toMatchObject({ code: 'too_many_requests' })
  clock.turn(3_600_000)
  const admin = await server.build.user({ admin: true })
  expect((await resend(admin)).json).toEqual({ status: 'okay' })
  expect((await mine())[0]).toMatchObject({ id, expiresAt: new Date(clock.now() + 7 * day).toISOString() })
  expect((await mails.to(address)).parsed.subject).toBe('You are invited into a team')
  expect((await events(team.id)).map(([event]) => event)).toEqual(['team.user.invited', 'team.user.invited'])
  expect((await call('POST', `${path()}/none`, owner)).status).toBe(404)
})
