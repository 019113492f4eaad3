import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { openPlatform, send, statusesOf, type TestUser } from '../../../testing/index.ts'

const { server, owner, team } = await openPlatform()

const call = (method: string, path: string, { cookie }: TestUser, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie }, body })
const create = (name: unknown, teamId = team.id, user = owner) =>
  call('POST', '/api/v1/applications', user, { name, teamId })
const events = async (event: string) => {
  const { log } = await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { event, limit: 1 } })
  return log[0]
}

test('[API-92] [API-93] [APP-25] an owner creates an application; the name is trimmed', async () => {
  const answer = await create('  Oven line ')
  const { id } = answer.json as { id: string }
  expect([answer.status, answer.json]).toEqual([
    200,
    {
      id,
      name: 'Oven line',
      teamId: team.id,
      team: expect.objectContaining({ id: team.id, slug: team.slug, name: team.name }),
      links: { self: `${server.config.baseUrl}/api/v1/applications/${id}` },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      instances: [],
    },
  ])
  expect((await call('GET', `/api/v1/applications/${id}`, owner)).json).toEqual(answer.json)
  expect(await events('application.created')).toMatchObject({
    event: 'application.created',
    username: owner.username,
    scope: { id: team.id, type: 'team' },
    trigger: { id: owner.id, type: 'user', name: owner.username },
    body: { team: { id: team.id, name: team.name, slug: team.slug }, application: { id, name: 'Oven line' } },
  })
})

test.each(['', '   '])(
  '[APP-19] the empty name %j is a conflict, for a new application and for an old one',
  async (name) => {
    const { id } = await server.build.application(owner, team)
    for (const answer of [await create(name), await call('PUT', `/api/v1/applications/${id}`, owner, { name })]) {
      expect(answer).toMatchObject({
        status: 409,
        json: { code: 'invalid_application_name', fields: { name: expect.any(String) } },
      })
    }
  },
)

test.each(['x'.repeat(81), 1, null, undefined, { toString: 'x' }])(
  'the name %o is refused by its field',
  async (name) => {
    expect(await create(name)).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', fields: { name: expect.any(String) } },
    })
  },
)

test("an application is created only in a team that exists and is one's own", async () => {
  const foreign = await server.build.team(await server.build.user())
  for (const teamId of [foreign.id, 'unknown'])
    expect(await create('x', teamId)).toMatchObject({ status: 404, json: { code: 'not_found' } })
  const viewer = await server.build.member(team, roles.viewer)
  expect(await create('x', team.id, viewer)).toMatchObject({ status: 403, json: { code: 'unauthorized' } })
  expect(await create('x', 'a b')).toMatchObject({ status: 400, json: { fields: { teamId: 'Not a valid id' } } })
})

test('[API-94] a rename answers the application and records old and new', async () => {
  const { id, name } = await server.build.application(owner, team)
  expect(
    (await call('PUT', `/api/v1/applications/${id}`, owner, { name: ' New name', teamId: 'other' })).json,
  ).toMatchObject({ id, name: 'New name', teamId: team.id })
  expect(await events('application.updated')).toMatchObject({
    event: 'application.updated',
    trigger: { id: owner.id },
    body: {
      team: { id: team.id },
      application: { id, name: 'New name' },
      updates: [{ key: 'name', old: name, new: 'New name', dif: 'updated' }],
    },
  })
})

test('[API-93] [API-95] [APP-20] an application with instances stays; an empty one goes, once', async () => {
  const application = await server.build.application(owner, team)
  await server.build.instance(owner, application)
  expect(await call('DELETE', `/api/v1/applications/${application.id}`, owner)).toMatchObject({
    status: 422,
    json: { code: 'invalid_application' },
  })
  const empty = await server.build.application(owner, team, 'Empty')
  const answers = await Promise.all([1, 2, 3].map(() => call('DELETE', `/api/v1/applications/${empty.id}`, owner)))
  expect(statusesOf(answers)).toEqual([200, 404, 404])
  expect((await call('GET', `/api/v1/applications/${empty.id}`, owner)).status).toBe(404)
  expect(await events('application.deleted')).toMatchObject({
    event: 'application.deleted',
    trigger: { id: owner.id },
    body: { team: { id: team.id }, application: { id: empty.id, name: 'Empty' } },
  })
})

test('an instance created while its application is deleted leaves no orphan and no server fault', async () => {
  const choice = await server.build.choice()
  for (let i = 0; i < 5; i++) {
    const { id } = await server.build.application(owner, team)
    const [created, deleted] = await Promise.all([
      call('POST', '/api/v1/projects', owner, { name: `race-${i}`, applicationId: id, ...choice }),
      call('DELETE', `/api/v1/applications/${id}`, owner),
    ])
    expect([
      [200, 422],
      [404, 200],
    ]).toContainEqual([created.status, deleted.status])
  }
})

test('[API-96] [API-97] [API-108] [API-109] [TEAM-31] the applications of a team with their instances and states', async () => {
  const mine = await server.build.team(owner)
  const [first, second] = [
    await server.build.application(owner, mine, 'First'),
    await server.build.application(owner, mine, 'Second'),
  ]
  const instance = await server.build.runningInstance(owner, second)
  const flows = await send(server.address, 'POST', `/storage/${instance.id}/flows`, {
    headers: { authorization: `Bearer ${await server.build.instanceToken(instance)}` },
    body: [],
  })
  expect(flows.status).toBe(200)
  const flowLastUpdatedAt = expect.any(String)
  const summary = { id: instance.id, name: instance.name, url: instance.url }
  expect((await call('GET', `/api/v1/teams/${mine.id}/applications`, owner)).json).toMatchObject({
    meta: {},
    count: 2,
    applications: [
      { id: first.id, name: 'First', instances: [] },
      { id: second.id, instances: [summary] },
    ],
  })
  expect((await call('GET', `/api/v1/teams/${mine.id}/applications/status`, owner)).json).toMatchObject({
    count: 2,
    applications: [
      { id: first.id, instances: [] },
      { id: second.id, instances: [{ id: instance.id, flowLastUpdatedAt, meta: { state: 'running' } }] },
    ],
  })
  expect((await call('GET', `/api/v1/applications/${first.id}/instances`, owner)).json.instances).toEqual([])
  expect((await call('GET', `/api/v1/applications/${second.id}/instances`, owner)).json).toMatchObject({
    count: 1,
    instances: [summary],
  })
  expect((await call('GET', `/api/v1/applications/${second.id}/instances/status`, owner)).json).toMatchObject({
    count: 1,
    instances: [{ id: instance.id, flowLastUpdatedAt, meta: { state: 'running', isDeploying: false } }],
  })
})

test('[APP-13] an application of another team is not there, under any call', async () => {
  const stranger = await server.build.user()
  const { id } = await server.build.application(stranger, await server.build.team(stranger))
  for (const [method, path] of [
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['GET', '/instances'],
    ['GET', '/instances/status'],
  ] as const) {
    const body = method === 'PUT' ? { name: 'x' } : undefined
    const [foreign, unknown] = [
      await call(method, `/api/v1/applications/${id}${path}`, owner, body),
      await call(method, `/api/v1/applications/no${path}`, owner, body),
    ]
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
  }
})
