import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { cookieOf, openServer, password, send, statusesOf, type TestUser } from '../../../testing/index.ts'

const server = await openServer()
const admin = await server.build.user({ admin: true })

const remove = ({ cookie }: TestUser) => send(server.address, 'DELETE', '/api/v1/user', { headers: { cookie } })
const rows = (table: 'users' | 'team_members' | 'sessions', column: 'id' | 'user_id', id: string) =>
  server.app.database.read
    .selectFrom(table)
    .selectAll()
    .where(column as never, '=', id as never)
    .execute()

test('[ACCT-08] [API-17] [PERM-11] the own account goes with everything of it, and what happened stays in the log', async () => {
  const user = await server.build.user()
  const team = await server.build.team(await server.build.user())
  await server.app.database.read
    .insertInto('team_members')
    .values({ team_id: team.id, user_id: user.id, role: roles.member, created_at: 1 })
    .execute()
  const answer = await remove(user)
  expect([answer.status, answer.json, cookieOf(answer, 'sid')]).toEqual([200, { status: 'okay' }, ''])
  expect(await rows('users', 'id', user.id)).toEqual([])
  expect(await rows('team_members', 'user_id', user.id)).toEqual([])
  expect(await rows('sessions', 'user_id', user.id)).toEqual([])
  const entry = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '=', 'user.deleted')
    .where('scope_id', '=', user.id)
    .executeTakeFirstOrThrow()
  expect(JSON.parse(entry.body)).toMatchObject({ user: { id: user.id, email: `${user.username}@example.com` } })
  expect(entry).toMatchObject({ trigger_id: user.id, username: user.username })
  // Name and address are free again.
  await server.build.user({ username: user.username })
})

test('[ACCT-21] [ACCT-22] [API-17] the sole owner of a team stays, with the reason; with a second owner they may go', async () => {
  const owner = await server.build.user()
  const team = await server.build.team(owner, 'Only Mine')
  await server.build.member(team, roles.member)
  expect(await remove(owner)).toMatchObject({
    status: 400,
    json: { code: 'unexpected_error', error: expect.stringContaining('“Only Mine” has no other owner') },
  })
  await server.build.member(team, roles.owner)
  expect((await remove(owner)).status).toBe(200)
  const other = await server.build.user()
  const alone = await server.build.team(other, 'Deleted First')
  expect((await remove(other)).status).toBe(400)
  await other.client.call('team.delete', { params: { teamId: alone.id } })
  expect((await remove(other)).status).toBe(200)
})

test('one of two owners who delete their accounts at once stays', async () => {
  for (let i = 0; i < 3; i++) {
    const owner = await server.build.user()
    const other = await server.build.member(await server.build.team(owner), roles.owner)
    expect(statusesOf(await Promise.all([remove(owner), remove(other)]))).toEqual([200, 400])
  }
})

test('the last administrator stays, also of two who go at once', async () => {
  expect(await remove(admin)).toMatchObject({
    status: 400,
    json: { code: 'unexpected_error', error: expect.stringContaining('admin') },
  })
  const other = await server.build.user({ admin: true })
  expect(statusesOf(await Promise.all([remove(admin), remove(other)]))).toEqual([200, 400])
})

test('nobody is left to sign in with the account', async () => {
  const user = await server.build.user()
  await remove(user)
  const answer = await send(server.address, 'POST', '/account/login', { body: { username: user.username, password } })
  expect(answer.json.code).toBe('unauthorized')
  expect((await remove(user)).status).toBe(401)
})
