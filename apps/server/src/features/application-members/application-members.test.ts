import { limited, roles, type RouteId, routes } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import { openPlatform, openStream, send, type TestUser, until } from '../../../testing/index.ts'

const { server, owner, team } = await openPlatform()
const { build } = server
beforeAll(() => build.setting('team:application-roles', true))

const call = (method: string, path: string, as: TestUser, body?: unknown) =>
  send(server.address, method, `/api/v1${path}`, { headers: { cookie: as.cookie }, body })
const application = () => build.application(owner, team)
const membersOf = ({ id }: { id: string }) => `/teams/${team.id}/applications/${id}/members`
const add = (to: { id: string }, user: { id: string }, role: unknown, as = owner) =>
  call('POST', membersOf(to), as, { user: user.id, role })
const change = (of: { id: string }, user: { id: string }, role: unknown) =>
  call('PUT', `${membersOf(of)}/${user.id}`, owner, { role })
const remove = (from: { id: string }, user: { id: string }) => call('DELETE', `${membersOf(from)}/${user.id}`, owner)
const event = async (name: string) => {
  const { log } = await owner.client.call('team.auditLog', {
    params: { teamId: team.id },
    query: { event: name, limit: 1 },
  })
  return log[0]
}
const refused = (status: number, code: string, field?: string) => ({
  status,
  json: { code, ...(field ? { fields: { [field]: expect.any(String) } } : {}) },
})

test('an owner adds a limited member to an application, changes the role and takes it away, and each is recorded', async () => {
  const [line, user] = [await application(), await build.member(team, limited)]
  const page = `/applications/${line.id}`
  expect(await call('GET', page, user)).toMatchObject(refused(404, 'not_found'))

  expect((await add(line, user, roles.member)).json).toEqual({ status: 'okay' })
  const subject = { id: user.id, name: expect.any(String), username: user.username }
  const named = { team: { id: team.id }, application: { id: line.id, name: line.name } }
  expect(await event('application.member.added')).toMatchObject({
    trigger: { id: owner.id },
    body: { ...named, user: { ...subject, role: 'member' } },
  })
  expect((await call('GET', page, user)).status).toBe(200)
  expect((await call('PUT', page, user, { name: 'Mine' })).status).toBe(403)

  expect((await change(line, user, roles.owner)).status).toBe(200)
  const updates = [{ key: 'role', old: 'member', new: 'owner', dif: 'updated' }]
  expect(await event('application.member.role-changed')).toMatchObject({
    body: { ...named, user: { ...subject, role: 'owner' }, updates },
  })
  expect((await call('PUT', page, user, { name: 'Mine' })).status).toBe(200)

  const { members } = await owner.client.call('applicationMember.list', {
    params: { teamId: team.id },
    query: { application: line.id },
  })
  expect(members).toMatchObject([{ id: user.id, role: 50, teamRole: 1, application: { id: line.id, name: 'Mine' } }])

  expect((await remove(line, user)).json).toEqual({ status: 'okay' })
  expect(await event('application.member.removed')).toMatchObject({ body: { user: { ...subject, role: 'owner' } } })
  expect(await call('GET', page, user)).toMatchObject(refused(404, 'not_found'))
  expect(await remove(line, user)).toMatchObject(refused(404, 'not_found'))
  expect(await change(line, user, roles.viewer)).toMatchObject(refused(404, 'not_found'))
})

test('[PERM-78] a role in an application counts there in the place of that in the team, up and down, and nowhere else', async () => {
  const [line, other] = [await application(), await application()]
  const [viewer, member] = [await build.member(team, roles.viewer), await build.member(team, roles.member)]
  await add(line, viewer, roles.owner)
  await add(line, member, roles.viewer)
  const rename = async (one: { id: string }, as: TestUser) =>
    (await call('PUT', `/applications/${one.id}`, as, { name: 'Another' })).status
  expect([await rename(line, viewer), await rename(other, viewer)]).toEqual([200, 403])
  const pipelines = async (one: { id: string }) =>
    (await call('GET', `/applications/${one.id}/pipelines`, member)).status
  expect([await pipelines(line), await pipelines(other)]).toEqual([403, 200])
  // Owning an application lets nobody in.
  const someone = await build.member(team, limited)
  expect(await add(line, someone, roles.viewer, viewer)).toMatchObject(refused(403, 'unauthorized'))
})

test('[PERM-78] roles that would change nothing, and people and applications of others, are refused', async () => {
  const line = await application()
  const user = await build.member(team, limited)
  const stranger = await build.user()
  const foreign = await build.application(stranger, await build.team(stranger))
  for (const role of [roles.dashboard, roles.none, limited, roles.admin, 20])
    expect(await add(line, user, role)).toMatchObject(refused(400, 'invalid_team_role', 'role'))
  expect(await add(line, user, 'owner')).toMatchObject(refused(400, 'invalid_request', 'role'))
  expect(await add(line, stranger, roles.viewer)).toMatchObject(refused(404, 'not_found'))
  expect(await add(foreign, user, roles.viewer)).toMatchObject(refused(404, 'not_found'))
  for (const role of [roles.owner, roles.dashboard])
    expect(await add(line, await build.member(team, role), roles.viewer)).toMatchObject(
      refused(400, 'invalid_request', 'user'),
    )
  await add(line, user, roles.viewer)
  expect(await add(line, user, roles.member)).toMatchObject(refused(400, 'invalid_request', 'user'))
  expect(await owner.client.call('applicationMember.list', { params: { teamId: team.id } })).not.toMatchObject({
    members: expect.arrayContaining([expect.objectContaining({ id: stranger.id })]),
  })
})

test('roles in applications end with the membership, with the application, and with a role that has none beside it', async () => {
  const [line, other] = [await application(), await application()]
  const [gone, promoted] = [await build.member(team, limited), await build.member(team, limited)]
  for (const user of [gone, promoted]) for (const one of [line, other]) await add(one, user, roles.member)
  const rolesOf = async ({ id }: TestUser) =>
    (await owner.client.call('applicationMember.list', { params: { teamId: team.id } })).members
      .filter((member) => member.id === id)
      .map((member) => member.application.id)
  const inTeam = `/teams/${team.id}/members`
  await call('DELETE', `/applications/${other.id}`, owner)
  expect(await rolesOf(gone)).toEqual([line.id])
  await call('DELETE', `${inTeam}/${gone.id}`, owner)
  await call('PUT', `${inTeam}/${promoted.id}`, owner, { role: roles.owner })
  await call('PUT', `${inTeam}/${promoted.id}`, owner, { role: limited })
  expect([await rolesOf(gone), await rolesOf(promoted)]).toEqual([[], []])
  expect((await call('GET', `/applications/${line.id}`, promoted)).status).toBe(404)
})

test('people are invited and made limited members only while the setting is on; those there stay limited', async () => {
  const [line, user] = [await application(), await build.member(team, roles.viewer)]
  const contractor = await build.member(team, limited)
  await add(line, contractor, roles.member)
  const inTeam = `/teams/${team.id}/members/${user.id}`
  await build.setting('team:application-roles', false)
  const invitation = { user: (await build.user()).username, role: limited }
  expect(await call('PUT', inTeam, owner, { role: limited })).toMatchObject(refused(400, 'invalid_team_role', 'role'))
  expect(await call('POST', `/teams/${team.id}/invitations`, owner, invitation)).toMatchObject(
    refused(400, 'invalid_team_role', 'role'),
  )
  expect(await call('POST', `/teams/${team.id}/invitation-links`, owner, { role: limited })).toMatchObject(
    refused(400, 'invalid_team_role', 'role'),
  )
  expect(await add(line, user, roles.owner)).toMatchObject(refused(404, 'not_found'))
  const other = await application()
  const seen = async (one: { id: string }) => (await call('GET', `/applications/${one.id}`, contractor)).status
  expect([await seen(line), await seen(other)]).toEqual([200, 404])
  await build.setting('team:application-roles', true)
  expect((await call('PUT', inTeam, owner, { role: limited })).status).toBe(200)
  expect((await call('POST', `/teams/${team.id}/invitations`, owner, invitation)).status).toBe(200)
})

test('[PERM-79] a limited member finds their applications, and of the team no more than its name and their own share', async () => {
  const mine = await build.team(owner)
  const [line, other] = [await build.application(owner, mine), await build.application(owner, mine)]
  const [here] = [
    await build.instance(owner, line),
    await build.instance(owner, other),
    await build.instance(owner, other),
  ]
  const user = await build.member(mine, limited)
  await build.applicationRole(line, user.id, roles.viewer)
  const at = `/teams/${mine.id}`
  const counts = { instanceCount: 1, memberCount: 1 }
  expect((await call('GET', at, user)).json).toMatchObject({ name: mine.name, ...counts })
  expect((await call('GET', '/user/teams', user)).json.teams).toMatchObject([
    { id: mine.id, role: 1, roleName: 'limited', ...counts, applicationRoles: { [line.id]: roles.viewer } },
  ])
  expect((await call('GET', '/user/teams', owner)).json.teams).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: mine.id, instanceCount: 3, memberCount: 2 })]),
  )
  expect((await call('GET', `${at}/user`, user)).json).toEqual({ role: limited })
  const found = (await call('GET', `${at}/projects?query=instance`, user)).json
  expect(found).toMatchObject({ count: 1, projects: [{ id: here.id }] })
  for (const path of ['applications', 'applications/status', 'projects', 'metrics'])
    expect((await call('GET', `${at}/${path}`, user)).json).toMatchObject({ count: 1 })
  for (const path of ['members', 'invitations', 'audit-log', 'quotas', 'deleted-projects', 'application-members'])
    expect((await call('GET', `${at}/${path}`, user)).status).toBe(403)
  expect((await call('POST', '/applications', user, { name: 'New', teamId: mine.id })).status).toBe(403)
})

test('every list of a team that limited members may read is one that says so', () => {
  const within = (Object.keys(routes) as RouteId[]).filter((id) => 'reach' in routes[id].access)
  expect(within.toSorted()).toEqual([
    'application.listOfTeam',
    'application.statusOfTeam',
    'device.chartsOfTeam',
    'device.listOfTeam',
    'device.tagsOfTeam',
    'instance.listOfTeam',
    'metrics.team',
    'team.get',
    'team.getBySlug',
    'team.role',
  ])
})

test('[PERM-79] [PERM-80] a stream of a limited member tells of their application alone, and nothing more once the role is taken away', async () => {
  const [line, other, user] = [await application(), await application(), await build.member(team, limited)]
  await add(line, user, roles.viewer)
  const stream = await openStream(server.address, { cookie: user.cookie })
  const begun = await build.instance(owner, other)
  const seen = await build.instance(owner, line)
  await stream.heard((told) => told.type === 'instance' && told.id === seen.id && told.state.meta.state === 'running')
  expect(JSON.stringify(stream.events)).not.toContain(begun.id)
  expect(JSON.stringify(stream.events)).not.toContain(other.id)
  await remove(line, user)
  await stream.heard((told) => told.type === 'team' && told.member === user.id)
  const before = stream.events.length
  const watched = await openStream(server.address, { cookie: owner.cookie })
  await call('POST', `/projects/${seen.id}/actions/restart`, owner)
  await watched.heard((told) => told.type === 'instance' && told.id === seen.id)
  const signs = async () =>
    (await call('PUT', `/teams/${team.id}`, owner, { name: `Team ${crypto.randomUUID()}` })).status
  expect(await signs()).toBe(200)
  await until(
    async () => stream.events.length,
    (count) => count > before,
  )
  expect(stream.events.slice(before).map(({ type }) => type)).toEqual(['team'])
  stream.close()
  watched.close()
})
