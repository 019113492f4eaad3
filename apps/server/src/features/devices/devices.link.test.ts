import type { DeviceSnapshot } from '@app/contract'
import { expect, test } from 'vitest'
import {
  clientWith,
  openStream,
  openWorkshop,
  send,
  startServer,
  switchesWithout,
  testClock,
  until,
} from '../../../testing/index.ts'
import { openCredentials } from '../flows/index.ts'

const { server, owner, team, create } = await openWorkshop()
const oven = await create('oven')

/** A device with the calls that its agent makes. */
async function device(assigned: boolean) {
  const { id, credentials } = await owner.client.call('device.create', {
    body: { name: 'Oven 3', type: 'Pi', team: team.id },
  })
  if (assigned) await owner.client.call('device.update', { params: { deviceId: id }, body: { instance: oven.id } })
  const call = async (method: string, path: string, body?: unknown) =>
    send(server.address, method, `/api/v1/devices/${id}/live/${path}`, {
      headers: { authorization: `Bearer ${credentials.token}` },
      body,
    })
  const agent = clientWith(server.address, 'authorization', `Bearer ${credentials.token}`)
  const params = { deviceId: id }
  const settings = async () => agent.call('deviceLink.settings', { params })
  return {
    id,
    credentials,
    call,
    settings,
    snapshot: async () => (await agent.call('deviceLink.snapshot', { params })) as DeviceSnapshot,
    report: async (body: Record<string, unknown>) => call('POST', 'state', { state: 'running', ...body }),
    hash: async () => (await settings()).hash,
    read: async () => owner.client.call('device.get', { params: { deviceId: id } }),
  }
}
const setTarget = async (targetSnapshot: string | null) =>
  owner.client.call('device.setTarget', { params: { instanceId: oven.id }, body: { targetSnapshot } })
const flows = [
  { id: 'a', type: 'tab', label: 'Heat' },
  { id: 'b', type: 'http request', z: 'a' },
]
const snapshot = async (name = 'Good') =>
  owner.client.call('snapshot.create', {
    params: { instanceId: oven.id },
    body: { name, flows, credentials: { b: { user: 'baker', password: 'dough' } }, credentialSecret: '' },
  })

test('[DEV-01] [DEV-41] the report of an agent is shown as it says it, and when it said it [DEV-53] [DEV-54]', async () => {
  const one = await device(true)
  const { id } = await snapshot()
  const { status } = await one.report({ snapshot: id, state: 'updating', agentVersion: '1.9.1', health: { uptime: 4 } })
  expect(status).toBe(409)
  expect(await one.read()).toMatchObject({
    status: 'updating',
    agentVersion: '1.9.1',
    lastSeenAt: expect.any(String),
    lastSeenMs: expect.any(Number),
    lastSeenSince: expect.stringMatching(/^\d+ seconds?$/),
    activeSnapshot: { id, name: 'Good' },
  })
  await one.report({ snapshot: 'unknown', state: 'baking' })
  expect(await one.read()).toMatchObject({ status: 'baking', agentVersion: '1.9.1', activeSnapshot: null })
})

test('settings tell an agent what its token does not open, which it would take for granted otherwise', async () => {
  const one = await device(true)
  const { features } = await one.settings()
  expect(features).toEqual({ 'shared-library': false, projectComms: false, teamBroker: false, tables: false })
})

test('an agent is told what is not as it shall be: the instance first, then the snapshot, then the settings', async () => {
  const one = await device(true)
  const { id } = await snapshot()
  await setTarget(id)
  const settings = await one.hash()
  const wanted = { project: oven.id, application: null, snapshot: id, settings }
  const told = async (body: Record<string, unknown>) => {
    const { status, json } = await one.report(body)
    return [status, json]
  }
  const wrong = { project: null, snapshot: null, settings: null }
  expect(await told(wrong)).toEqual([409, { error: 'incorrect-project', ...wanted }])
  expect(await told({ ...wrong, project: oven.id })).toEqual([409, { error: 'incorrect-snapshot', ...wanted }])
  expect(await told({ project: oven.id, snapshot: id, settings: null })).toEqual([
    409,
    { error: 'incorrect-settings', ...wanted },
  ])
  expect(await told({ project: oven.id, snapshot: id, settings })).toEqual([200, {}])
  // Agents of the first releases know nothing of instances and settings.
  expect(await told({ snapshot: id })).toEqual([200, {}])
  expect((await one.call('GET', 'state')).json).toMatchObject({ project: oven.id, snapshot: id, mode: 'autonomous' })
})

test('[DEV-44] a device that is removed from its instance is told to run nothing', async () => {
  const one = await device(true)
  await owner.client.call('device.update', { params: { deviceId: one.id }, body: { instance: null } })
  const { status, json } = await one.report({ project: oven.id, snapshot: null, settings: null })
  expect([status, json]).toMatchObject([409, { error: 'incorrect-project', project: null, snapshot: null }])
  expect(await one.snapshot()).toEqual({})
})

test('[SNAP-18] [DEV-45] every device of an instance gets its target, with credentials that its own secret opens', async () => {
  const [one, other] = [await device(true), await device(true)]
  await owner.client.call('instance.update', {
    params: { instanceId: oven.id },
    body: { settings: { env: [{ name: 'KEY', value: 'sesame', encrypted: true }] } },
  })
  const { id } = await snapshot('Next')
  await setTarget(id)
  for (const { snapshot: fetch, credentials } of [one, other]) {
    const got = await fetch()
    expect(got).toMatchObject({
      id,
      name: 'Next',
      flows,
      modules: { 'node-red': '5.0.7' },
      env: {
        KEY: 'sesame',
        FF_INSTANCE_ID: oven.id,
        FF_PROJECT_NAME: 'oven',
        FF_DEVICE_NAME: 'Oven 3',
        FF_SNAPSHOT_ID: id,
      },
    })
    expect(openCredentials(got.credentials, credentials.credentialSecret)).toEqual({
      b: { user: 'baker', password: 'dough' },
    })
  }
  expect(openCredentials((await one.snapshot()).credentials, 'wrong')).toBeUndefined()
})

test('its settings get another hash with its name, its type, its variables and its target', async () => {
  const one = await device(true)
  await setTarget(null)
  const seen = [await one.hash()]
  const params = { deviceId: one.id }
  await owner.client.call('device.update', { params, body: { name: 'Oven 4' } })
  seen.push(await one.hash())
  await owner.client.call('device.update', { params, body: { type: 'Pi 5' } })
  seen.push(await one.hash())
  await owner.client.call('device.saveSettings', {
    params,
    body: { env: [{ name: 'KEY', value: 'x', encrypted: true }] },
  })
  seen.push(await one.hash())
  await setTarget((await snapshot()).id)
  expect(new Set([...seen, await one.hash()]).size).toBe(5)
  expect(await one.settings()).toMatchObject({
    env: { KEY: 'x', FF_DEVICE_ID: one.id, FF_DEVICE_NAME: 'Oven 4', FF_DEVICE_TYPE: 'Pi 5' },
    features: { projectComms: false, teamBroker: false, tables: false },
    assistant: { enabled: false },
  })
})

test('[SNAP-15] a snapshot counts the devices that run it, as does who asks for up to 10,000,000 of them', async () => {
  const [one, other] = [await device(true), await device(true)]
  const { id } = await snapshot('Counted')
  for (const { report } of [one, other]) await report({ snapshot: id })
  const params = { instanceId: oven.id }
  const { snapshots } = await owner.client.call('snapshot.list', { params })
  expect(snapshots[0]).toMatchObject({ id, deviceCount: 2 })
  // Consoles of the installed base count for themselves.
  await expect(
    owner.client.call('device.listOfInstance', { params, query: { limit: 10_000_001 } }),
  ).rejects.toMatchObject({ status: 400 })
  const { devices } = await owner.client.call('device.listOfInstance', { params, query: { limit: 10_000_000 } })
  expect(devices.filter(({ activeSnapshot }) => activeSnapshot?.id === id)).toHaveLength(2)
  expect(await owner.client.call('snapshot.get', { params: { ...params, snapshotId: id } })).toMatchObject({
    deviceCount: 2,
  })
})

test('browsers hear of another status, and not of a device that goes on as it did', async () => {
  const one = await device(true)
  const stream = await openStream(server.address, { cookie: owner.cookie })
  const heard = () => stream.events.filter((event) => event.type === 'device' && event.id === one.id).length
  await one.report({ state: 'starting' })
  await until(
    async () => heard(),
    (n) => n === 1,
  )
  await one.report({ state: 'starting' })
  await one.report({ state: 'running' })
  await until(
    async () => heard(),
    (n) => n === 2,
  )
  stream.close()
})

test('an event inside Node-RED on a device is in the log of its instance', async () => {
  const [one, alone] = [await device(true), await device(false)]
  const member = await server.build.member(team, 30)
  const say = async ({ id, credentials }: typeof one, event: string, more = {}) =>
    (
      await send(server.address, 'POST', `/logging/device/${id}/audit`, {
        headers: { authorization: `Bearer ${credentials.token}` },
        body: { event, timestamp: 1, type: 'full', ...more },
      })
    ).status
  expect(await Promise.all([say(one, 'flows.set'), say(alone, 'flows.set'), say(one, 'project.deleted')])).toEqual([
    200, 200, 400,
  ])
  const { log } = await owner.client.call('instance.auditLog', { params: { instanceId: oven.id }, query: {} })
  expect(log.filter(({ event }) => event === 'flows.set')).toMatchObject([
    { trigger: { name: 'Oven 3' }, body: { device: { id: one.id }, info: { type: 'full' } } },
  ])
  for (const event of ['users.deleted', 'PROJECT.deleted', ' project.deleted', 'flows.set '])
    expect(await say(one, event)).toBe(400)
  // The platform has only the word of the device for the person it names.
  const before = log.length
  await say(one, 'auth.login', { user: member.id, editorToken: 'ffu_x' })
  await say(one, 'auth.login', { user: (await server.build.user()).id })
  const after = await owner.client.call('instance.auditLog', { params: { instanceId: oven.id }, query: {} })
  expect(after.log.slice(0, after.log.length - before)).toMatchObject([
    { username: null, trigger: { id: one.id, name: 'Oven 3' }, body: { info: { type: 'full' } } },
    {
      username: null,
      trigger: { id: one.id, type: 'system', name: `Oven 3 (says: ${member.username})` },
      body: { claimedUser: { id: member.id }, info: { type: 'full' } },
    },
  ])
  expect(JSON.stringify(after.log)).not.toContain('ffu_x')
})

test('a device asks for the instances of its team by their names alone, and for nothing else', async () => {
  const { credentials } = await device(false)
  const get = async (path: string) =>
    send(server.address, 'GET', `/api/v1${path}`, { headers: { authorization: `Bearer ${credentials.token}` } })
  expect((await get(`/teams/${team.id}/projects`)).json.projects).toEqual([{ id: oven.id, name: 'oven' }])
  expect((await get(`/teams/${team.id}`)).status).toBe(403)
  expect((await get('/settings/')).status).toBe(200)
})

test('with devices switched off an agent is told to come back, and not that it is unknown', async () => {
  const off = await startServer({
    clock: testClock(),
    config: {
      features: switchesWithout('devices'),
    },
  })
  const { owner: person, team: theirs } = await off.build.platform()
  const { id } = theirs
  const hash = (await import('../../platform/crypto.ts')).hashToken('ffd_kept')
  const rest = { search_key: '', instance_id: null, active_snapshot_id: null, status: 'offline', agent_version: null }
  await off.app.database.read
    .insertInto('devices')
    .values({
      id: 'kept',
      team_id: id,
      name: 'Kept',
      type: '',
      ...rest,
      last_seen_at: null,
      env: null,
      settings_hash: 'x',
      mode: 'autonomous' as const,
      editor_connected: 0 as const,
      takeover: 'auto' as const,
      token_hash: hash,
      credential_secret: 'x',
      created_at: 1,
      updated_at: 1,
    })
    .execute()
  expect(person.id).toBeDefined()
  const answer = await send(off.address, 'GET', '/api/v1/devices/kept/live/state', {
    headers: { authorization: 'Bearer ffd_kept' },
  })
  expect([answer.status, answer.json.code]).toEqual([503, 'devices_unavailable'])
  await off.close()
})

test('a target that a device did not take is shown with the reason, until it takes one', async () => {
  const one = await device(true)
  const { id } = await snapshot('Bad')
  await setTarget(id)
  const refused = { snapshot: id, code: 'flows_not_started', message: 'node type odd is missing', final: true }
  expect((await one.report({ snapshot: null, refused })).status).toBe(409)
  expect(await one.read()).toMatchObject({ status: 'running', refused, activeSnapshot: null })
  // Agents of the installed base say nothing of it.
  await one.report({ snapshot: null })
  expect((await one.read()).refused).toEqual(refused)
  await one.report({ snapshot: id, refused: null })
  expect((await one.read()).refused).toBeNull()
  const tooLong = { ...refused, message: 'x'.repeat(1_001) }
  expect((await one.report({ snapshot: id, refused: tooLong })).status).toBe(400)
})

test('two machines with the identity of one device are noticed; one that was installed anew is not', async () => {
  const [one, other] = [await device(false), await device(false)]
  await one.report({ agent: 'a' })
  await one.report({ agent: 'a' })
  expect((await one.read()).sharedIdentity).toBe(false)
  await one.report({ agent: 'b' })
  expect((await one.read()).sharedIdentity).toBe(true)
  await other.report({})
  await other.report({ agent: 'a' })
  expect((await other.read()).sharedIdentity).toBe(false)
})

test('[DEV-72] devices are protected as their instance is now, whatever their snapshot says, or closed', async () => {
  const one = await device(true)
  const { id } = await snapshot('Unprotected')
  await setTarget(id)
  const protect = async (httpNodeAuth: object) =>
    owner.client.call('instance.update', { params: { instanceId: oven.id }, body: { settings: { httpNodeAuth } } })
  const seen = async () => ({
    http: (await one.snapshot()).settings.httpNodeAuth as { type: string; user?: string; pass?: string },
    ...(await one.settings()),
  })
  const open = await seen()
  expect([open.http.type, open.nodeRed.httpAuth, open.security]).toEqual(['none', null, undefined])

  await protect({ type: 'basic', user: 'line', pass: 'proofing-4711' })
  const basic = await seen()
  const { hash } = basic.nodeRed.httpAuth!
  const { default: bcrypt } = await import('bcryptjs')
  expect(await bcrypt.compare('proofing-4711', hash)).toBe(true)
  expect(basic.nodeRed.httpAuth!.user).toBe('line')
  for (const given of [basic.http, basic.security?.httpNodeAuth])
    expect(given).toEqual({ type: 'basic', user: 'line', pass: hash })
  expect(basic.hash).not.toBe(open.hash)

  await protect({ type: 'basic', user: 'line', pass: 'kneading-4711' })
  expect((await seen()).hash).not.toBe(basic.hash)
  const own = { httpAuth: { user: 'own', password: 'machine-4711' } }
  const params = { deviceId: one.id }
  await owner.client.call('device.update', { params, body: { nodeRed: own } })
  expect((await seen()).security?.httpNodeAuth).toMatchObject({ type: 'basic', user: 'own' })
  await owner.client.call('device.update', { params, body: { nodeRed: { httpAuth: null } } })

  expect((await one.report({ snapshot: id, settings: open.hash })).json.error).toBe('incorrect-settings')

  // People cannot sign in to the platform on a device.
  await protect({ type: 'flowforge-user' })
  const platform = await seen()
  expect(platform.http.type).toBe('basic')
  for (const password of ['', platform.http.pass!])
    expect(await bcrypt.compare(password, platform.nodeRed.httpAuth!.hash)).toBe(false)
  await protect({ type: 'none' })
  expect((await seen()).hash).toBe(open.hash)
})
