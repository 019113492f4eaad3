import { roles } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import { openMailServer, openServer, send, statusesOf, type TestTeam, type TestUser } from '../../../testing/index.ts'

let owner: TestUser
let team: TestTeam
const mails = await openMailServer()
const server = await openServer({ config: { mail: mails.mail } })
beforeEach(async () => {
  owner = await server.build.user()
  team = await server.build.team(owner)
})

const call = (method: string, path: string, as: TestUser, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie: as.cookie }, body })
const member = (of: TestUser) => `/api/v1/teams/${team.id}/members/${of.id}`
const remove = (of: TestUser, as: TestUser) => call('DELETE', member(of), as)
const change = (of: TestUser, role: unknown, as: TestUser = owner) => call('PUT', member(of), as, { role })
const roleOf = async (as: TestUser) => (await call('GET', `/api/v1/teams/${team.id}/user`, as)).json.role
const events = async () =>
  (
    await server.app.database.read
      .selectFrom('audit_log')
      .selectAll()
      .where('scope_id', '=', team.id)
      .orderBy('id')
      .execute()
  )
    .slice(1)
    .map(({ event, trigger_id, body }) => ({ event, trigger_id, body: JSON.parse(body) as object }))

test.each([roles.dashboard, roles.viewer, roles.member])(
  '[ATEAM-02] [API-35] [PERM-37] a member of role %i leaves, and takes nobody along',
  async (role) => {
    const [user, other] = [await server.build.member(team, role), await server.build.member(team, role)]
    await call('PUT', '/api/v1/user', user, { defaultTeam: team.id })
    expect((await remove(other, user)).status).toBe(403)
    expect((await remove(user, user)).json).toEqual({ status: 'okay' })
    expect((await call('GET', `/api/v1/teams/${team.id}`, user)).status).toBe(404)
    expect((await call('GET', '/api/v1/user', user)).json).not.toHaveProperty('defaultTeam')
    expect(await roleOf(other)).toBe(role)
    expect(await events()).toMatchObject([
      { event: 'team.user.removed', trigger_id: user.id, body: { user: { id: user.id } } },
    ])
    expect((await remove(user, owner)).status).toBe(404)
    expect((await remove(other, owner)).json).toEqual({ status: 'okay' })
    expect((await call('GET', `/api/v1/teams/${team.id}`, other)).status).toBe(404)
  },
)

test('[PERM-37] [PERM-71] an owner removes a member; who is not in the team cannot be removed', async () => {
  const user = await server.build.member(team, roles.member)
  expect((await remove(user, owner)).status).toBe(200)
  expect((await remove(await server.build.user(), owner)).status).toBe(404)
})

test('[ATEAM-05] the only owner stays, whoever asks; of two owners one may go', async () => {
  await server.build.member(team, roles.member)
  const admin = await server.build.user({ admin: true })
  for (const as of [owner, admin]) {
    expect(await remove(owner, as)).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', error: 'The only owner of a team cannot be removed' },
    })
  }
  const second = await server.build.member(team, roles.owner)
  expect(statusesOf(await Promise.all([remove(owner, owner), remove(second, second)]))).toEqual([200, 400])
})

test('[ACCT-45] [API-112] a role changes at once, without token or mail, and the log says from what to what', async () => {
  const user = await server.build.member(team, roles.viewer)
  expect((await change(user, roles.owner)).json).toEqual({ status: 'okay' })
  expect(await roleOf(user)).toBe(roles.owner)
  expect((await change(user, roles.owner)).status).toBe(200)
  // A mail waits in the table until it is delivered.
  await expect.poll(() => server.app.database.read.selectFrom('mails').select('id').execute()).toEqual([])
  expect(mails.received.filter(({ to }) => to.includes(`${user.username}@example.com`))).toEqual([])
  expect(await events()).toMatchObject([
    {
      event: 'team.user.role-changed',
      trigger_id: owner.id,
      body: {
        user: { id: user.id, role: 'owner' },
        updates: [{ key: 'role', old: 'viewer', new: 'owner', dif: 'updated' }],
      },
    },
  ])
})

test.each([roles.dashboard, roles.viewer, roles.member])(
  '[ACCT-45] the only owner cannot become role %i',
  async (role) => {
    expect(await change(owner, role)).toMatchObject({ status: 403, json: { code: 'invalid_request' } })
    expect(await roleOf(owner)).toBe(roles.owner)
  },
)

test('[ACCT-45] a role that is none, and a person who is not there, are refused', async () => {
  const user = await server.build.member(team, roles.viewer)
  for (const role of [0, 99, 7]) expect((await change(user, role)).json.code).toBe('invalid_team_role')
  for (const role of ['owner', null, 30.5]) expect((await change(user, role)).json.code).toBe('invalid_request')
  expect((await change(await server.build.user(), roles.member)).status).toBe(404)
  expect((await change(user, roles.owner, user)).status).toBe(403)
})

test('of two owners who are demoted at once one stays', async () => {
  const second = await server.build.member(team, roles.owner)
  const answers = await Promise.all([change(owner, roles.member, owner), change(second, roles.member, second)])
  expect(statusesOf(answers)).toEqual([200, 403])
})

test('[PERM-15] nobody is put into a team without being asked: there is no call for it', async () => {
  const [admin, user] = [await server.build.user({ admin: true }), await server.build.user()]
  for (const as of [owner, admin]) {
    const answer = await call('POST', `/api/v1/teams/${team.id}/members`, as, { userId: user.id, role: roles.member })
    expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } })
  }
})

test('[MEMB-21] [MEMB-22] members and invitations say who, in which role, until when and into which team', async () => {
  const user = await server.build.member(team, roles.viewer)
  const invited = await server.build.user()
  const invitations = `/api/v1/teams/${team.id}/invitations`
  await call('POST', invitations, owner, { user: invited.username, role: roles.member })
  const { members } = (await call('GET', `/api/v1/teams/${team.id}/members`, owner)).json as { members: object[] }
  expect(members).toContainEqual(
    expect.objectContaining({ id: user.id, username: user.username, name: expect.any(String), role: roles.viewer }),
  )
  expect((await call('GET', invitations, owner)).json.invitations).toMatchObject([
    {
      id: expect.any(String),
      invitee: { id: invited.id, username: invited.username },
      role: roles.member,
      roleName: 'member',
      expires: expect.any(String),
      team: { id: team.id, name: team.name },
    },
  ])
})
