import { roles } from '@app/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type MailServer,
  password,
  send,
  startMailServer,
  startServer,
  statusesOf,
  testClock,
  type TestServer,
  type TestTeam,
  type TestUser,
} from '../../../testing/index.ts'

const day = 24 * 3_600_000
const clock = testClock()
let mails: MailServer
/** With mail, and without. */
let mailing: TestServer
let silent: TestServer
beforeAll(async () => {
  mails = await startMailServer()
  mailing = await startServer({ clock, config: { mail: mails.mail, trustProxy: ['loopback'] } })
  silent = await startServer({ clock, config: { trustProxy: ['loopback'] } })
})
afterAll(async () => {
  await Promise.all([mailing.close(), silent.close()])
  await mails.close()
})

let server: TestServer
let owner: TestUser
let team: TestTeam
beforeEach(async () => use(silent, { admin: true }))

async function use(which: TestServer, { admin }: { admin: boolean }) {
  server = which
  owner = await server.build.user({ admin })
  team = await server.build.team(owner)
}

let serial = 0
const call = (method: string, path: string, body?: unknown, as?: TestUser) =>
  send(server.address, method, path, {
    headers: { 'x-forwarded-for': `10.7.0.${(serial += 1) & 255}`, ...(as && { cookie: as.cookie }) },
    ...(body !== undefined && { body }),
  })
const make = (role?: number, as: TestUser = owner) =>
  call('POST', `/api/v1/teams/${team.id}/invitation-links`, role ? { role } : {}, as)
const codeOf = (url: unknown) => String(url).split('#')[1] ?? ''
const newCode = async (role?: number) => codeOf((await make(role)).json.url)
const join = (code: string, as: TestUser) => call('POST', '/api/v1/user/invitation-links', { code }, as)
const signUp = (username: string, code: string) =>
  call('POST', '/account/register', { username, email: `${username}@example.com`, password, code })
const roleOf = async (as: TestUser) => (await call('GET', `/api/v1/teams/${team.id}/user`, undefined, as)).json.role
const signIn = async (username: string) => {
  const { headers, status } = await call('POST', '/account/login', { username, password })
  return { status, cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' } as unknown as TestUser & { status: number }
}
const waiting = async () =>
  (await call('GET', `/api/v1/teams/${team.id}/invitations`, undefined, owner)).json.invitations as {
    id: string
    invitee: unknown
    role: number
  }[]

test('a link tells what it offers, makes one person a member, and is listed, audited and stored as a hash', async () => {
  const made = await make(roles.viewer)
  expect(made.json).toMatchObject({
    url: expect.stringMatching(/\/account\/invitation#ffin_\S{40,}$/),
    role: roles.viewer,
    expiresAt: new Date(clock.now() + 7 * day).toISOString(),
    signUp: true,
  })
  const code = codeOf(made.json.url)
  const stored = await server.app.database.read.selectFrom('invitations').selectAll().execute()
  expect(JSON.stringify(stored)).not.toContain(code)
  expect(await waiting()).toMatchObject([{ id: made.json.id, invitee: { link: true }, role: roles.viewer }])
  const offer = await call('POST', '/api/v1/invitation-links/read', { code })
  expect(offer.json).toMatchObject({ team: { name: team.name }, roleName: 'viewer', signUp: true })
  expect(JSON.stringify(offer.json)).not.toContain('@')

  const people = await Promise.all(Array.from({ length: 3 }, () => server.build.user()))
  const answers = await Promise.all(people.map((one) => join(code, one)))
  expect(statusesOf(answers)).toEqual([200, 404, 404])
  const winner = people[answers.findIndex(({ status }) => status === 200)]!
  expect(await roleOf(winner)).toBe(roles.viewer)
  expect((await call('POST', '/api/v1/invitation-links/read', { code })).status).toBe(404)
  const rows = await server.app.database.read
    .selectFrom('audit_log')
    .select(['event', 'body'])
    .where('scope_id', '=', team.id)
    .where('event', 'like', '%invit%')
    .orderBy('id')
    .execute()
  expect(rows.map(({ event, body }) => [event, JSON.parse(body) as unknown])).toMatchObject([
    ['team.user.invited', { user: { role: 'viewer' }, info: { link: true } }],
    ['team.user.invite.accepted', { user: { username: winner.username, role: 'viewer' } }],
  ])
  expect(JSON.stringify(rows)).not.toContain(code)
})

test('without mail a person signs up by the link of an administrator, and works with an address that nobody proved', async () => {
  const code = await newCode()
  const made = await signUp('linked', code)
  expect([made.status, made.json.email_verified, made.json.email_proof_waived]).toEqual([200, false, true])
  expect(made.headers.getSetCookie()).toEqual([])
  const linked = await signIn('linked')
  expect(await roleOf(linked)).toBe(roles.member)
  expect((await signUp('second', code)).json).toMatchObject({ code: 'user_registration_unavailable' })
  // An invitation to the address does not reach the person who typed it.
  const other = await server.build.team(owner)
  const invited = await call('POST', `/api/v1/teams/${other.id}/invitations`, { user: 'linked@example.com' }, owner)
  expect(invited.json).toMatchObject({ code: 'invitation_failed' })
  expect((await call('POST', `/api/v1/teams/${other.id}/invitations`, { user: 'linked' }, owner)).json).toEqual({
    status: 'okay',
  })
})

test('without mail the link of somebody who is no administrator is for people with an account', async () => {
  await use(silent, { admin: false })
  const made = await make()
  expect(made.json.signUp).toBe(false)
  const code = codeOf(made.json.url)
  expect((await signUp('outsider', code)).json).toMatchObject({ code: 'user_registration_unavailable' })
  const insider = await server.build.user()
  expect((await join(code, insider)).json).toMatchObject({ slug: team.slug })
})

test('with mail the setting decides who may sign up, and a link proves no address', async () => {
  await use(mailing, { admin: true })
  await server.build.setting('user:signup', false)
  await server.build.setting('team:user:invite:external', false)
  const code = await newCode()
  expect((await signUp('early', code)).json).toMatchObject({ code: 'user_registration_unavailable' })
  await server.build.setting('team:user:invite:external', true)
  const made = await signUp('early', code)
  expect(made.json).toMatchObject({ email_verified: false })
  expect(made.json).not.toHaveProperty('email_proof_waived')
  expect((await mails.to('early@example.com')).parsed.text).toContain('/account/verify/')
  const locked = await signIn('early')
  expect(locked.status).toBe(200)
  expect((await call('GET', '/api/v1/user/teams', undefined, locked)).status).toBe(401)
  const { members } = (await call('GET', `/api/v1/teams/${team.id}/members`, undefined, owner)).json
  expect(members).toContainEqual(expect.objectContaining({ username: 'early', role: roles.member }))
})

test('a link ends after 7 days, when it is removed, and is not mailed', async () => {
  const user = await server.build.user()
  const [old, removed] = [await newCode(), await newCode()]
  const [, second] = await waiting()
  expect((await call('DELETE', `/api/v1/teams/${team.id}/invitations/${second!.id}`, undefined, owner)).status).toBe(
    200,
  )
  expect((await join(removed, user)).json).toMatchObject({ code: 'not_found' })
  clock.turn(7 * day)
  owner = await server.build.user({ admin: true })
  const late = await server.build.user()
  expect((await join(old, late)).json).toMatchObject({ code: 'not_found' })
  await use(mailing, { admin: true })
  await newCode()
  const [link] = await waiting()
  expect((await call('POST', `/api/v1/teams/${team.id}/invitations/${link!.id}`, {}, owner)).json).toMatchObject({
    code: 'invalid_request',
  })
})

test('members, full teams, other roles and too many links are refused, and the link stays', async () => {
  const code = await newCode()
  expect((await join(code, owner)).json).toMatchObject({ code: 'invitation_failed' })
  expect((await make(99)).json).toMatchObject({ code: 'invalid_team_role' })
  const viewer = await server.build.user()
  const types = server.app.database.read.updateTable('team_types')
  const limit = (userLimit: number) => types.set({ properties: JSON.stringify({ userLimit }) }).execute()
  await limit(2)
  expect((await make()).json).toMatchObject({ code: 'invitation_failed' })
  await limit(1)
  expect((await join(code, viewer)).json).toMatchObject({ code: 'invitation_failed' })
  await limit(0)
  expect((await join(code, viewer)).status).toBe(200)
  expect((await make(roles.member, viewer)).status).toBe(403)
  for (let made = 0; made < 20; made += 1) await make()
  expect((await make()).json).toMatchObject({ code: 'too_many_invites' })
})
