import type { Instance } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import { openPlatform, send, type TestUser, until } from './index.ts'

let instance: Instance
let token: string
const { server, admin, owner, team } = await openPlatform()
beforeAll(async () => {
  instance = await server.build.runningInstance(owner, await server.build.application(owner, team))
  token = await server.build.instanceToken(instance)
})

const ask = (user: TestUser, method: string, path: string, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie: user.cookie }, ...(body === undefined ? {} : { body }) })
const asInstance = (method: string, path: string, body?: unknown) =>
  send(server.address, method, path, {
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
  })
const path = () => `/api/v1/projects/${instance.id}`

test('an empty password is asked for like none', async () => {
  for (const password of ['', undefined])
    expect(
      await send(server.address, 'POST', '/account/login', { body: { username: owner.username, password } }),
    ).toMatchObject({ status: 401, json: { code: 'password_required' } })
})

test('everybody reads their own record and teams, nobody those of others, and none changes it there', async () => {
  const own = `/api/v1/users/${owner.id}`
  expect((await ask(owner, 'GET', own)).json).toMatchObject({ id: owner.id, username: owner.username })
  expect((await ask(owner, 'GET', `${own}/teams`)).json.teams).toMatchObject([{ id: team.id }])
  const other = await server.build.user()
  for (const one of [own, `${own}/teams`]) expect((await ask(other, 'GET', one)).status).toBe(403)
  expect((await ask(owner, 'PUT', own, { admin: true })).status).toBe(403)
  expect((await ask(owner, 'DELETE', own)).status).toBe(403)
})

test('an instance keeps its name and host name: others are refused, its own may be sent along', async () => {
  expect(await ask(owner, 'PUT', path(), { name: 'another-name' })).toMatchObject({
    status: 409,
    json: { code: 'invalid_project_name' },
  })
  for (const hostname of ['oven.example.com', 'not_a_host'])
    expect(await ask(owner, 'PUT', path(), { hostname })).toMatchObject({
      status: 409,
      json: { code: 'invalid_hostname' },
    })
  expect((await ask(owner, 'PUT', path(), { name: instance.name, hostname: instance.hostname })).status).toBe(200)
})

test('the default team of somebody is set by an administrator to a team they are in, and to no other', async () => {
  const other = await server.build.team(admin)
  const user = `/api/v1/users/${owner.id}`
  for (const defaultTeam of [other.id, 'nonsense', null])
    expect(await ask(admin, 'PUT', user, { defaultTeam })).toMatchObject({
      status: 400,
      json: { code: 'invalid_team' },
    })
  expect((await ask(admin, 'PUT', user, { defaultTeam: team.id })).json.defaultTeam).toBe(team.id)
})

test('an address or a user name that is none has the code of its field', async () => {
  expect((await ask(owner, 'PUT', '/api/v1/user', { email: 'no' })).json).toMatchObject({
    code: 'invalid_email',
    error: expect.stringContaining('email'),
  })
  const made = { username: 'with space', email: 'a@example.com', password: 'correct horse battery' }
  expect((await ask(admin, 'POST', '/api/v1/users', made)).json).toMatchObject({
    code: 'invalid_username',
    error: expect.stringContaining('username'),
  })
})

test('[APP-25] [INST-72] [INST-74] an application has its instances, and an instance what its devices shall run', async () => {
  const application = await owner.client.call('application.get', { params: { applicationId: instance.application.id } })
  expect(application).toMatchObject({
    name: expect.any(String),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    teamId: team.id,
    team: { slug: team.slug },
    instances: [{ id: instance.id, name: instance.name }],
  })
  expect((await ask(owner, 'GET', path())).json).toMatchObject({
    targetSnapshot: null,
    deviceSettings: { targetSnapshot: null },
  })
  await asInstance('POST', `/storage/${instance.id}/flows`, [])
  const snapshot = (await ask(owner, 'POST', `${path()}/snapshots`, { name: 'Before' })).json as { id: string }
  await ask(owner, 'POST', `${path()}/devices/settings`, { targetSnapshot: snapshot.id })
  expect((await ask(owner, 'GET', path())).json).toMatchObject({
    id: instance.id,
    name: instance.name,
    url: instance.url,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    meta: {
      state: 'running',
      isDeploying: false,
      versions: { 'node-red': '5.0.7', launcher: expect.any(String), node: expect.any(String) },
    },
    flowLastUpdatedAt: expect.any(String),
    flowLastUpdatedSince: expect.stringMatching(/^\d+ (second|minute)s?$/),
    settings: {
      env: expect.arrayContaining([{ name: 'FF_INSTANCE_NAME', value: instance.name, platform: true }]),
      palette: { modules: [] },
      disableEditor: false,
      httpNodeAuth: { type: 'none' },
    },
    targetSnapshot: { id: snapshot.id, name: 'Before' },
    deviceSettings: { targetSnapshot: snapshot.id },
  })
})

test('an import of nothing is refused', async () => {
  for (const body of [{}, { credsSecret: 'x' }])
    expect(await ask(owner, 'POST', `${path()}/import`, body)).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' },
    })
})

test('[LIB-08] a listing of the library needs no type, and its entries say where they are', async () => {
  const library = `/storage/library/${team.id}`
  for (const [at, type] of [
    ['ovens/bake', 'flows'],
    ['wait', 'functions'],
  ])
    expect((await asInstance('POST', `${library}/${at}`, { type, body: '[]' })).status).toBe(201)
  expect((await ask(owner, 'GET', `${library}/`)).json).toMatchObject([
    { fn: 'wait', type: 'functions', path: 'wait', updatedAt: expect.any(String) },
    'ovens',
  ])
  expect((await ask(owner, 'GET', `${library}/ovens`)).json).toMatchObject([{ fn: 'bake', path: 'ovens/bake' }])
})

test('launchers report their state, learn where to put their files, and fill no log by reading', async () => {
  expect(await asInstance('POST', `/api/v1/projects/${instance.id}/update-state`, { state: 'running' })).toMatchObject({
    status: 200,
    json: {},
  })
  expect((await asInstance('GET', `${path()}/settings`)).json).toMatchObject({
    projectID: instance.id,
    rootDir: '.',
    userDir: instance.id,
    port: 1880,
  })
  const log = async () => (await owner.client.call('instance.auditLog', { params: { instanceId: instance.id } })).count
  const before = await log()
  expect((await asInstance('POST', `/logging/${instance.id}/audit`, { event: 'flows.getState' })).status).toBe(200)
  expect(await log()).toBe(before)
})

test('restartStack starts an instance anew, and one that is suspended; a second operation is told which is first', async () => {
  const state = (wanted: string) =>
    until(
      () => owner.client.call('instance.get', { params: { instanceId: instance.id } }),
      ({ meta }) => meta.state === wanted,
    )
  await state('running')
  expect((await ask(owner, 'POST', `${path()}/actions/suspend`)).json).toEqual({ status: 'okay' })
  await state('suspended')
  expect((await ask(owner, 'POST', `/api/v1/projects/${instance.id}/actions/restartStack`)).json).toEqual({
    status: 'okay',
  })
  await state('running')
  expect((await ask(owner, 'POST', `/api/v1/projects/${instance.id}/actions/restartStack`)).json).toEqual({
    status: 'okay',
  })
  await state('running')
  const inFlight = (in_flight: string | null) =>
    server.app.database.read
      .updateTable('instances')
      .set({ in_flight, in_flight_until: Date.now() + 60_000 })
      .where('id', '=', instance.id)
      .execute()
  await inFlight('deploying')
  const busy = await ask(owner, 'POST', `${path()}/actions/suspend`)
  await inFlight(null)
  expect([busy.status, busy.json.code, busy.json.error, busy.headers.get('retry-after')]).toEqual([
    409,
    'invalid_state',
    'Another operation is under way: deploying',
    '5',
  ])
})

test('every part that can be off is named with its true value', async () => {
  expect((await ask(owner, 'GET', '/api/v1/settings')).json.features).toMatchObject({
    billing: false,
    sso: false,
    'devops-pipelines': true,
    'shared-library': true,
    ha: expect.any(Boolean),
    deviceEditor: true,
    projectComms: true,
  })
})
