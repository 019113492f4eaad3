import { roles, type TeamTypeProperties } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import { openPlatform, send, type TestUser } from '../../../testing/index.ts'

const { server, admin, owner, team } = await openPlatform()
let standard: string
beforeAll(async () => {
  standard = await server.build.teamType()
  await server.build.setting('team:create', true)
})

const call = (method: string, path: string, { cookie }: TestUser, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie }, body })
const make = async (name: string, properties: TeamTypeProperties = {}) =>
  admin.client.call('teamType.create', { body: { name, properties } })
const give = async (teamId: string, type: string) =>
  admin.client.call('team.changeType', { params: { teamId }, body: { type } })
const eventsOf = async (scope: string, event: string) => {
  const rows = await server.app.database.read
    .selectFrom('audit_log')
    .select('body')
    .where('scope_id', '=', scope)
    .where('event', '=', event)
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => JSON.parse(body) as object)
}

test('[TEAM-29] an administrator creates, changes, orders and deletes team types, and each is recorded', async () => {
  const { projectType } = await server.build.choice()
  const properties: TeamTypeProperties = {
    userLimit: 5,
    runtimeLimit: 3,
    deviceLimit: 10,
    instanceTypes: { [projectType]: { allowed: true, limit: 2 } },
    features: { ha: false },
    billing: { userCost: 1500, deviceCost: 200 },
    deviceFreeAllocation: 2,
  }
  const made = await admin.client.call('teamType.create', {
    body: { name: 'Starter', description: '**Small**', order: -1, properties },
  })
  expect(made).toEqual({
    id: made.id,
    name: 'Starter',
    description: '**Small**',
    active: true,
    order: -1,
    properties,
    teamCount: 0,
  })
  const listed = async (user: TestUser, filter?: 'all' | 'inactive') =>
    (await user.client.call('team.types', { query: { filter } })).types.map(({ id }) => id)
  expect(await listed(owner)).toEqual([made.id, standard])

  const params = { teamTypeId: made.id }
  const changed = await admin.client.call('teamType.update', {
    params,
    body: { name: 'Small', order: 7, active: false, properties: { userLimit: 2 } },
  })
  expect(changed).toMatchObject({ name: 'Small', description: '**Small**', active: false, order: 7 })
  expect(changed.properties).toEqual({ userLimit: 2 })
  expect([await listed(owner), await listed(owner, 'inactive'), await listed(owner, 'all')]).toEqual([
    [standard],
    [made.id],
    [standard, made.id],
  ])
  // The number of teams of a type is for administrators only.
  expect(await owner.client.call('teamType.get', { params })).not.toHaveProperty('teamCount')

  await admin.client.call('teamType.delete', { params })
  await expect(admin.client.call('teamType.get', { params })).rejects.toMatchObject({ status: 404 })
  expect(await eventsOf('platform', 'platform.team-type.created')).toContainEqual({
    info: { id: made.id, name: 'Starter' },
  })
  const [update] = await eventsOf('platform', 'platform.team-type.updated')
  expect(update).toMatchObject({ info: { id: made.id, name: 'Small' } })
  expect((update as { updates: object[] }).updates).toEqual(
    expect.arrayContaining([
      { key: 'name', old: 'Starter', new: 'Small', dif: 'updated' },
      { key: 'active', old: true, new: false, dif: 'updated' },
      expect.objectContaining({ key: 'properties.userLimit', old: 5, new: 2 }),
      expect.objectContaining({ key: 'properties.runtimeLimit', dif: 'deleted' }),
    ]),
  )
  expect(await eventsOf('platform', 'platform.team-type.deleted')).toEqual([{ info: { id: made.id, name: 'Small' } }])
})

test.each([
  [{ name: '' }, 400, 'invalid_request', 'name'],
  [{ name: 'Standard' }, 409, 'invalid_name', 'name'],
  [{ name: 'x', order: 1.5 }, 400, 'invalid_request', 'order'],
  [{ name: 'x', properties: { userLimit: 1.5 } }, 400, 'invalid_request', 'properties.userLimit'],
  [{ name: 'x', properties: { billing: { userCost: -1 } } }, 400, 'invalid_request', 'properties.billing.userCost'],
  [
    { name: 'x', properties: { instanceTypes: { nothing: { allowed: false } } } },
    400,
    'invalid_project_type',
    'properties.instanceTypes.nothing',
  ],
])('%j is refused with its field, and nothing is made', async (body, status, code, field) => {
  const count = async () => (await admin.client.call('team.types', { query: { filter: 'all' } })).count
  const before = await count()
  const answer = await call('POST', '/api/v1/team-types', admin, body)
  expect([answer.status, answer.json.code, Object.keys(answer.json.fields as object)]).toEqual([status, code, [field]])
  expect(await count()).toBe(before)
})

test('a type that teams have cannot be deleted, and an inactive one cannot be chosen', async () => {
  const { id } = await make('Taken')
  const own = await server.build.team(owner)
  await give(own.id, id)
  expect(await call('DELETE', `/api/v1/team-types/${id}`, admin)).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', message: expect.stringContaining('that teams have') as string },
  })
  await admin.client.call('teamType.update', { params: { teamTypeId: id }, body: { active: false } })
  for (const answer of [
    await call('POST', '/api/v1/teams', owner, { name: 'Late', type: id }),
    await call('PUT', `/api/v1/teams/${team.id}/type`, admin, { type: id }),
  ])
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_team_type' } })
  // Teams that have it keep it.
  expect((await owner.client.call('team.get', { params: { teamId: own.id } })).type).toMatchObject({
    id,
    active: false,
  })
})

test('a team has its type with limits and prices, and an administrator gives it another', async () => {
  const { id } = await make('Priced', {
    userLimit: 3,
    billing: { userCost: 1500, deviceCost: 200 },
    deviceFreeAllocation: 4,
  })
  const own = await server.build.team(owner)
  const other = await server.build.member(own, roles.owner)
  expect((await call('PUT', `/api/v1/teams/${own.id}/type`, other, { type: id })).status).toBe(403)
  await give(own.id, id)
  await give(own.id, id)
  const { type } = await other.client.call('team.get', { params: { teamId: own.id } })
  expect(type).toMatchObject({
    name: 'Priced',
    properties: { userLimit: 3, billing: { userCost: 1500, deviceCost: 200 }, deviceFreeAllocation: 4 },
  })
  expect(await eventsOf(own.id, 'team.type.changed')).toMatchObject([
    { team: { id: own.id }, updates: [{ key: 'type', old: 'Standard', new: 'Priced' }] },
  ])
})

test('a change of a type tells beforehand which teams exceed it and by what, and changes nothing', async () => {
  const { projectType } = await server.build.choice()
  const { id } = await make('Roomy')
  const [full, small] = [await server.build.team(owner, 'Full team'), await server.build.team(owner, 'Small team')]
  for (const { id: teamId } of [full, small]) await give(teamId, id)
  await server.build.member(full, roles.viewer)
  const application = await server.build.application(owner, full)
  for (const name of ['preview-a', 'preview-b']) await server.build.instance(owner, application, name)
  await owner.client.call('device.create', { body: { name: 'Oven', type: '', team: full.id } })
  const preview = async (properties: TeamTypeProperties) =>
    admin.client.call('teamType.preview', { params: { teamTypeId: id }, body: { properties } })

  expect(await preview({ userLimit: 2, runtimeLimit: 2, deviceLimit: 1 })).toEqual({ count: 0, teams: [] })
  expect(
    await preview({
      userLimit: 1,
      runtimeLimit: 1,
      deviceLimit: 0,
      instanceTypes: { [projectType]: { allowed: false } },
    }),
  ).toEqual({
    count: 1,
    teams: [
      {
        id: full.id,
        name: 'Full team',
        slug: full.slug,
        exceeds: [
          { what: 'members', used: 2, limit: 1 },
          { what: 'instances', used: 2, limit: 1 },
          { what: 'instanceType', instanceType: { id: projectType, name: 'Standard' }, used: 2, limit: 0 },
        ],
      },
    ],
  })
  expect((await admin.client.call('teamType.get', { params: { teamTypeId: id } })).properties).toEqual({})
})
