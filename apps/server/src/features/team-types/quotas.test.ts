import { roles, type TeamTypeProperties } from '@app/contract'
import { expect, test } from 'vitest'
import { openPlatform, send, type TestTeam, type TestUser } from '../../../testing/index.ts'

const { server, admin, owner } = await openPlatform()
const call = (method: string, path: string, { cookie }: TestUser, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie }, body })

let serial = 0
/** A team of a type of its own. */
async function teamOf(properties: TeamTypeProperties, name = `Type ${(serial += 1)}`) {
  const team = await server.build.team(owner)
  const type = await admin.client.call('teamType.create', { body: { name, properties } })
  await admin.client.call('team.changeType', { params: { teamId: team.id }, body: { type: type.id } })
  const limit = async (next: TeamTypeProperties) =>
    admin.client.call('teamType.update', { params: { teamTypeId: type.id }, body: { properties: next } })
  return { team, type, limit, application: await server.build.application(owner, team) }
}
const create = async (application: { id: string }, more: object = {}) =>
  call('POST', '/api/v1/projects', owner, {
    name: `quota-${(serial += 1)}`,
    applicationId: application.id,
    ...(await server.build.choice()),
    ...more,
  })
const addDevice = async ({ id }: TestTeam) =>
  call('POST', '/api/v1/devices', owner, { name: `Device ${(serial += 1)}`, type: '', team: id })
const quotasOf = async ({ id }: TestTeam, type?: string) =>
  owner.client.call('teamType.quotas', { params: { teamId: id }, query: { type } })
const ends = async (id: string) => {
  const state = async () => (await owner.client.call('instance.get', { params: { instanceId: id } })).meta.state
  await expect.poll(state).toBe('running')
}

test('of ten instances asked for at once a team gets as many as its type allows; nothing that runs stops', async () => {
  const { team, application, limit } = await teamOf({ runtimeLimit: 3 }, 'Three')
  const answers = await Promise.all(Array.from({ length: 10 }, async () => create(application)))
  const made = answers.filter(({ status }) => status === 200).map(({ json }) => json.id as string)
  expect(made).toHaveLength(3)
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({
    status: 400,
    json: {
      code: 'instance_limit_reached',
      message: 'The team has 3 of the 3 instances that its type “Three” allows',
    },
  })
  for (const id of made) await ends(id)
  await limit({ runtimeLimit: 1 })
  expect((await quotasOf(team)).instances).toEqual({ used: 3, limit: 1 })
  const [id = ''] = made
  await owner.client.call('instance.restart', { params: { instanceId: id } })
  await ends(id)
  expect((await create(application)).json.code).toBe('instance_limit_reached')
  // A limit of 0 or less is none.
  for (const none of [0, -1]) {
    await limit({ runtimeLimit: none })
    expect((await create(application)).status).toBe(200)
  }
})

test('an instance comes back from the deleted ones only while there is room for it', async () => {
  const { team, application } = await teamOf({ runtimeLimit: 1 })
  const first = (await create(application)).json.id as string
  await ends(first)
  await owner.client.call('instance.delete', { params: { instanceId: first } })
  const second = (await create(application)).json.id as string
  await ends(second)
  const restore = () => call('POST', `/api/v1/teams/${team.id}/deleted-projects/${first}/restore`, owner, {})
  expect((await restore()).json).toMatchObject({ code: 'instance_limit_reached' })
  await owner.client.call('instance.delete', { params: { instanceId: second } })
  expect((await restore()).status).toBe(200)
})

test('a type of instances has a limit of its own, or is not for the team at all', async () => {
  const { projectType } = await server.build.choice()
  const { team, application, limit } = await teamOf({ instanceTypes: { [projectType]: { allowed: true, limit: 1 } } })
  expect((await create(application)).status).toBe(200)
  expect((await create(application)).json).toMatchObject({
    code: 'instance_limit_reached',
    message: expect.stringContaining('1 instance of type “Standard”') as string,
    fields: { projectType: expect.any(String) as string },
  })
  expect((await quotasOf(team)).instanceTypes).toEqual([
    { id: projectType, name: 'Standard', allowed: true, used: 1, limit: 1 },
  ])
  await limit({ instanceTypes: { [projectType]: { allowed: false } } })
  expect((await create(application)).json).toMatchObject({
    code: 'invalid_project_type',
    message: expect.stringContaining('cannot use this instance type') as string,
  })
})

test('of ten devices added at once a team gets as many as its type allows, by people and by themselves', async () => {
  const { team, limit } = await teamOf({ deviceLimit: 2 }, 'Two devices')
  const answers = await Promise.all(Array.from({ length: 10 }, async () => addDevice(team)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
  const refused = {
    status: 400,
    json: {
      code: 'device_limit_reached',
      message: 'The team has 2 of the 2 devices that its type “Two devices” allows',
    },
  }
  expect(answers.find(({ status }) => status !== 200)).toMatchObject(refused)
  const { token } = await owner.client.call('provisioning.create', {
    params: { teamId: team.id },
    body: { name: 'Line' },
  })
  const register = () =>
    send(server.address, 'POST', '/api/v1/devices', {
      headers: { authorization: `Bearer ${token}` },
      body: { name: 'Itself', type: '', team: team.id },
    })
  expect(await register()).toMatchObject(refused)
  await limit({ deviceLimit: 3 })
  expect((await register()).status).toBe(200)
})

test('[MEMB-12] members and invitations share the seats, and invitations that expired do not count', async () => {
  const { team } = await teamOf({ userLimit: 2 })
  const invite = async (username: string) =>
    call('POST', `/api/v1/teams/${team.id}/invitations`, owner, { user: username, role: roles.member })
  const [one, two] = [await server.build.user(), await server.build.user()]
  expect((await invite(one.username)).json).toEqual({ status: 'okay' })
  expect((await quotasOf(team)).members).toEqual({ used: 2, limit: 2 })
  expect((await invite(two.username)).json).toMatchObject({ code: 'invitation_failed' })
  await server.app.database.read
    .updateTable('invitations')
    .set({ expires_at: Date.now() - 1 })
    .where('team_id', '=', team.id)
    .execute()
  expect((await quotasOf(team)).members).toEqual({ used: 1, limit: 2 })
  expect((await invite(two.username)).json).toEqual({ status: 'okay' })
})

test('the quotas of a team can be asked for another type, which is not given to it', async () => {
  const { team, type } = await teamOf({ runtimeLimit: 4 })
  const other = await admin.client.call('teamType.create', {
    body: { name: 'Other', properties: { userLimit: 9, features: { devices: false } } },
  })
  expect(await quotasOf(team, other.id)).toMatchObject({
    type: { id: other.id, name: 'Other' },
    members: { used: 1, limit: 9 },
    instances: { used: 0, limit: null },
    features: { devices: false, ha: true },
  })
  expect((await quotasOf(team)).type.id).toBe(type.id)
  expect((await call('GET', `/api/v1/teams/${team.id}/quotas?type=nothing`, owner)).json.code).toBe('invalid_team_type')
  const dashboard = await server.build.member(team, roles.dashboard)
  expect((await call('GET', `/api/v1/teams/${team.id}/quotas`, dashboard)).status).toBe(403)
})

test('a team has none of what its type leaves out, while other teams have it', async () => {
  const { team, application, limit } = await teamOf({}, 'Plain')
  const instance = (await create(application)).json.id as string
  await ends(instance)
  const pipelines = `/api/v1/applications/${application.id}/pipelines`
  const calls: [path: string, feature: string, sentence: string][] = [
    [`/api/v1/teams/${team.id}/devices`, 'devices', 'Devices are not part of the team type “Plain”'],
    [pipelines, 'devops-pipelines', 'DevOps Pipelines are not part of the team type “Plain”'],
    [`/api/v1/projects/${instance}/ha`, 'ha', 'High availability is not part of the team type “Plain”'],
    [`/storage/library/${team.id}/`, 'shared-library', 'The shared library is not part of the team type “Plain”'],
  ]
  for (const [path, feature, sentence] of calls) {
    await limit({})
    expect([path, (await call('GET', path, owner)).status]).toEqual([path, 200])
    await limit({ features: { [feature]: false } })
    // Administrators who visit are told the same.
    for (const person of [owner, admin])
      expect(await call('GET', path, person)).toMatchObject({ status: 404, json: { message: sentence } })
  }
  await limit({ features: { devices: false, ha: false } })
  expect((await create(application, { ha: { replicas: 2 } })).json).toMatchObject({ code: 'invalid_ha' })
  const elsewhere = await server.build.team(owner)
  expect((await call('GET', `/api/v1/teams/${elsewhere.id}/devices`, owner)).status).toBe(200)
})
