import type { Device, TeamRole } from '@app/contract'
import { roles } from '@app/contract'
import { describe, expect, test } from 'vitest'
import { openWorkshop, send, startServer, switchesWithout } from '../../../testing/index.ts'

const { server, owner, admin, team, application, create } = await openWorkshop()
const [oven, mixer] = await Promise.all([create('oven'), create('mixer')])

const add = async (name = 'Oven 3', type = 'Pi') =>
  owner.client.call('device.create', { body: { name, type, team: team.id } })
const read = async (deviceId: string): Promise<Device> => owner.client.call('device.get', { params: { deviceId } })
const update = async (deviceId: string, body: Record<string, unknown>) =>
  owner.client.call('device.update', { params: { deviceId }, body })
const raw = async (method: string, path: string, body?: unknown, user = owner) =>
  send(server.address, method, `/api/v1${path}`, { headers: { cookie: user.cookie }, body })
const asDevice = async (token: string, id: string) =>
  (
    await send(server.address, 'GET', `/api/v1/devices/${id}/live/state`, {
      headers: { authorization: `Bearer ${token}` },
    })
  ).status
const teamLog = async (limit = 1) =>
  (await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit } })).log
const instanceLog = async (instanceId: string) =>
  (await owner.client.call('instance.auditLog', { params: { instanceId }, query: { limit: 1 } })).log[0]
const snap = async (instanceId: string, body: { name: string; setAsTarget?: boolean } = { name: 'Good' }) =>
  owner.client.call('snapshot.create', { params: { instanceId }, body })
const target = async (instanceId: string) =>
  (await owner.client.call('device.target', { params: { instanceId } })).targetSnapshot

describe('a device', () => {
  test('[API-128] [API-129] [DEV-53] [DEV-54] is added to a team, and shows its credentials this once', async () => {
    const { credentials, ...made } = await add(' Oven 3 ', 'Raspberry Pi 4')
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Oven 3',
      type: 'Raspberry Pi 4',
      tags: [],
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
      lastSeenAt: null,
      lastSeenMs: null,
      lastSeenSince: null,
      status: 'offline',
      lastStatus: null,
      mode: 'autonomous',
      editor: { enabled: false, connected: false },
      hasDeveloperMode: false,
      agentVersion: null,
      nodejsVersion: null,
      nodeRedVersion: null,
      refused: null,
      takeover: 'auto',
      sharedIdentity: false,
      links: { self: expect.stringMatching(`/api/v1/devices/${made.id}$`) },
      team: expect.objectContaining({ id: team.id, slug: team.slug }),
      activeSnapshot: null,
      targetSnapshot: null,
    })
    expect(credentials).toEqual({
      token: expect.stringMatching(/^ffd_[\w-]{43}$/),
      credentialSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
      otc: expect.stringMatching(/^ffotc_[\w-]{43}$/),
    })
    const agentUpdate = { updater: null, available: null, ordered: null, last: null }
    const lists = { allowList: null, denyList: null, catalogues: null }
    const signIns = { httpAuth: null, editorAuth: null }
    const nodeRed = { ...lists, ...signIns, memory: null, version: null, memoryLimit: null, warning: null }
    expect(await read(made.id)).toEqual({ ...made, lastDeployment: null, trouble: null, agentUpdate, nodeRed })
    expect(JSON.stringify(await raw('GET', `/devices/${made.id}`))).not.toContain(credentials.token)
    expect((await teamLog())[0]).toMatchObject({
      event: 'team.device.created',
      body: { device: { id: made.id, name: 'Oven 3' } },
    })
    expect((await raw('GET', '/devices/unknown')).status).toBe(404)
  })

  test('is kept without what its credentials are', async () => {
    const { id, credentials } = await add()
    const row = await server.app.database.read
      .selectFrom('devices')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    for (const secret of Object.values(credentials)) expect(JSON.stringify(row)).not.toContain(secret)
  })

  test.each(['', '  ', 'a\0b'])('cannot be named %j', async (name) => {
    const made = await add()
    const { status, json } = await raw('POST', '/devices', { name, team: team.id })
    expect([status, json.code, json.fields]).toEqual([400, 'invalid_name', { name: 'A device needs a name' }])
    expect((await raw('PUT', `/devices/${made.id}`, { name })).json.code).toBe('invalid_name')
    expect((await read(made.id)).name).toBe('Oven 3')
  })

  test('[API-131] [DEV-16] gets another name, or name and type; a type is any text', async () => {
    const { id } = await add()
    expect(await update(id, { name: 'Oven 4' })).toMatchObject({ id, name: 'Oven 4', type: 'Pi' })
    expect(await update(id, { name: 'Oven 5', type: '<b>&' })).toMatchObject({ name: 'Oven 5', type: '<b>&' })
    expect((await teamLog())[0]).toMatchObject({
      event: 'team.device.updated',
      body: { updates: [{ key: 'name', old: 'Oven 4', new: 'Oven 5' }, { key: 'type' }] },
    })
    expect(await read(id)).toMatchObject({ name: 'Oven 5', type: '<b>&' })
  })

  test('[API-130] is gone once deleted, and its token speaks for nobody', async () => {
    const { id, credentials } = await add()
    expect(await asDevice(credentials.token, id)).toBe(200)
    await owner.client.call('device.delete', { params: { deviceId: id } })
    expect((await raw('GET', `/devices/${id}`)).status).toBe(404)
    expect(await asDevice(credentials.token, id)).toBe(401)
    expect((await teamLog())[0]).toMatchObject({ event: 'team.device.deleted', body: { device: { id } } })
  })

  test('[API-135] gets new credentials, and the former stop working at once', async () => {
    const { id, credentials } = await add()
    const next = await owner.client.call('device.generateCredentials', { params: { deviceId: id } })
    expect(await Promise.all([credentials, next].map(({ token }) => asDevice(token, id)))).toEqual([401, 200])
    expect(next.credentialSecret).not.toBe(credentials.credentialSecret)
    expect((await teamLog())[0]).toMatchObject({ event: 'team.device.credentials-generated', body: { device: { id } } })
  })

  test('[API-137] [API-138] [DSET-05] keeps variables behind those of the platform; secrets are not shown again', async () => {
    const { id } = await add('Oven 6')
    const params = { deviceId: id }
    const save = async (env: { name: string; value: string; encrypted?: boolean }[]) =>
      owner.client.call('device.saveSettings', { params, body: { env } })
    const own = async () => (await owner.client.call('device.settings', { params })).env.slice(5)
    await save([
      { name: 'SITE', value: 'bakery' },
      { name: 'KEY', value: 'sesame', encrypted: true },
      { name: 'FF_DEVICE_ID', value: 'mine' },
    ])
    const { env } = await owner.client.call('device.settings', { params })
    expect(env.slice(0, 5).map(({ name, value, platform }) => [name, value, platform])).toEqual([
      ['FF_DEVICE_ID', id, true],
      ['FF_DEVICE_NAME', 'Oven 6', true],
      ['FF_DEVICE_TYPE', 'Pi', true],
      ['FF_SNAPSHOT_ID', '', true],
      ['FF_SNAPSHOT_NAME', '', true],
    ])
    expect(await own()).toEqual([
      { name: 'SITE', value: 'bakery' },
      { name: 'KEY', value: '', encrypted: true },
    ])
    expect(JSON.stringify(await teamLog())).not.toContain('sesame')
    // Renamed, it has its variables still; sent without its value, a secret keeps it.
    await update(id, { name: 'Oven 7' })
    await save([{ name: 'KEY', value: '', encrypted: true }])
    expect(await own()).toEqual([{ name: 'KEY', value: '', encrypted: true }])
    expect((await teamLog())[0]).toMatchObject({ event: 'team.device.updated' })
    expect((await raw('PUT', `/devices/${id}/settings`, { env: 'SITE' })).status).toBe(400)
  })
})

describe('an assignment', () => {
  test('[API-132] [DEV-57] is made by either name of the instance, and removed by null [DEV-02] [DEV-54] [DEV-43]', async () => {
    const { id } = await add()
    const first = await update(id, { project: oven.id })
    expect(first).toMatchObject({
      instance: { id: oven.id, name: 'oven', url: oven.url },
      application: { id: application.id, name: application.name },
      team: { id: team.id, slug: team.slug },
    })
    expect(first.project).toEqual(first.instance)
    expect(await instanceLog(oven.id)).toMatchObject({
      event: 'project.device.assigned',
      body: { device: { id }, project: { id: oven.id } },
    })
    expect((await teamLog())[0]).toMatchObject({ event: 'team.device.assigned' })
    // Beside an instance a name is left alone, and the instance wins over the project.
    expect(await update(id, { instance: mixer.id, project: oven.id, name: 'Other', type: 'Other' })).toMatchObject({
      name: 'Oven 3',
      type: 'Pi',
      instance: { id: mixer.id },
    })
    expect(await instanceLog(oven.id)).toMatchObject({ event: 'project.device.unassigned', body: { device: { id } } })
    const removed = await update(id, { instance: null })
    expect([removed.instance, removed.project, removed.application, removed.targetSnapshot]).toEqual([
      undefined,
      undefined,
      undefined,
      null,
    ])
    expect((await teamLog())[0]).toMatchObject({ event: 'team.device.unassigned', body: { project: { id: mixer.id } } })
  })

  test('to an instance of another team, or to none, is refused', async () => {
    const { id } = await add()
    const stranger = await server.build.user()
    const foreign = await server.build.instance(
      stranger,
      await server.build.application(stranger, await server.build.team(stranger)),
    )
    for (const instance of [foreign.id, 'unknown']) {
      const { status, json } = await raw('PUT', `/devices/${id}`, { instance })
      expect([status, json.code, Object.keys(json.fields as object)]).toEqual([400, 'invalid_instance', ['instance']])
    }
    expect((await read(id)).instance).toBeUndefined()
  })

  test('ends when its instance is deleted, and is there again when the instance is had back', async () => {
    const { id } = await add()
    const { id: instanceId } = await create('brief')
    await update(id, { instance: instanceId })
    const lists = async () => (await read(id)).instance?.id
    expect(await lists()).toBe(instanceId)
    await server.app.database.read
      .updateTable('instances')
      .set({ deleted_at: Date.now() })
      .where('id', '=', instanceId)
      .execute()
    expect(await lists()).toBeUndefined()
    await server.app.database.read
      .updateTable('instances')
      .set({ deleted_at: null })
      .where('id', '=', instanceId)
      .execute()
    expect(await lists()).toBe(instanceId)
  })
})

describe('the devices of an instance', () => {
  test('[API-83] [API-84] [DEV-54] [PERM-54] shall run the snapshot that is set, which is theirs alone', async () => {
    const { id } = await add()
    await update(id, { instance: oven.id })
    const [good, foreign] = [await snap(oven.id), await snap(mixer.id)]
    const path = `/projects/${oven.id}/devices/settings`
    expect(await target(oven.id)).toBeNull()
    const viewer = await server.build.member(team, roles.viewer)
    expect((await raw('POST', path, { targetSnapshot: good.id }, viewer)).status).toBe(403)
    const member = await server.build.member(team, roles.member)
    expect((await raw('POST', path, { targetSnapshot: good.id }, member)).json).toEqual({ status: 'okay' })
    expect(await target(oven.id)).toBe(good.id)
    expect((await read(id)).targetSnapshot).toEqual({ id: good.id, name: 'Good', description: '' })
    expect(await instanceLog(oven.id)).toMatchObject({
      event: 'project.snapshot.device-target-set',
      body: { project: { id: oven.id }, snapshot: { id: good.id, name: 'Good' } },
    })
    for (const targetSnapshot of [foreign.id, 'unknown']) {
      const { status, json } = await raw('POST', path, { targetSnapshot })
      expect([status, json.code]).toEqual([400, 'invalid_snapshot'])
    }
    expect(await target(oven.id)).toBe(good.id)
    await owner.client.call('device.setTarget', { params: { instanceId: oven.id }, body: { targetSnapshot: null } })
    expect([await target(oven.id), (await read(id)).targetSnapshot]).toEqual([null, null])
  })

  test('have none any more when their target is deleted', async () => {
    const { id } = await snap(mixer.id)
    await owner.client.call('device.setTarget', { params: { instanceId: mixer.id }, body: { targetSnapshot: id } })
    await owner.client.call('snapshot.delete', { params: { instanceId: mixer.id, snapshotId: id } })
    expect(await target(mixer.id)).toBeNull()
  })

  test('[API-86] [SNAP-16] shall run a new snapshot that is made their target at once, by who may', async () => {
    const { id } = await snap(mixer.id, { name: 'Next', setAsTarget: true })
    expect(await target(mixer.id)).toBe(id)
    const { token } = await owner.client.call('tokens.create', {
      body: { name: 'Snapper', scopes: ['project:snapshot:create'], expiresAt: null },
    })
    const by = (setAsTarget: boolean) =>
      send(server.address, 'POST', `/api/v1/projects/${mixer.id}/snapshots`, {
        headers: { authorization: `Bearer ${token}` },
        body: { name: 'By token', setAsTarget },
      })
    expect([(await by(true)).status, (await by(false)).status]).toEqual([403, 200])
    expect(await target(mixer.id)).toBe(id)
  })
})

describe('lists', () => {
  test('[API-64] [API-118] of a team and of all teams are paged and searched', async () => {
    const other = await server.build.team(owner)
    const make = async (name: string, type: string) =>
      owner.client.call('device.create', { body: { name, type, team: other.id } })
    const made = [await make('North oven', 'Pi 4'), await make('South oven', 'Pi 5'), await make('Mixer', 'PLC_1')]
    const params = { teamId: other.id }
    const names = async (query: Record<string, unknown>) => {
      const { devices, count, meta } = await owner.client.call('device.listOfTeam', { params, query })
      return { names: devices.map(({ name }) => name), count, next: meta.next_cursor }
    }
    expect(await names({})).toEqual({ names: ['North oven', 'South oven', 'Mixer'], count: 3, next: undefined })
    const first = await names({ limit: 2 })
    expect(first).toEqual({ names: ['North oven', 'South oven'], count: 3, next: made[1]!.id })
    expect(await names({ limit: 2, cursor: first.next })).toEqual({ names: ['Mixer'], count: 3, next: undefined })
    expect(await names({ query: 'OVEN' })).toMatchObject({ names: ['North oven', 'South oven'], count: 2 })
    expect(await names({ search: 'plc' })).toMatchObject({ names: ['Mixer'] })
    expect(await names({ query: '%oven%plc%' })).toMatchObject({ names: [], count: 0 })

    const all = await admin.client.call('device.list', { query: { query: 'north oven' } })
    expect(all).toMatchObject({ count: 1, devices: [{ id: made[0]!.id, team: { id: other.id } }] })
    expect((await raw('GET', '/devices')).status).toBe(403)
  })

  test('[API-82] [API-119] of a team and of an instance have an address each, are paged and searched, for members only', async () => {
    const other = await server.build.team(owner)
    const mill = await server.build.instance(owner, await server.build.application(owner, other))
    const make = async (name: string) => owner.client.call('device.create', { body: { name, team: other.id } })
    const made = [await make('North oven'), await make('Elsewhere'), await make('South oven'), await make('Mixer')]
    for (const { id, name } of made) if (name !== 'Elsewhere') await update(id, { instance: mill.id })
    const [viewer, stranger] = [await server.build.member(other, roles.viewer), await server.build.user()]
    const limited = await server.build.member(other, roles.dashboard)
    for (const [path, all] of [
      [`/teams/${other.id}/devices`, ['North oven', 'Elsewhere', 'South oven', 'Mixer']],
      [`/projects/${mill.id}/devices`, ['North oven', 'South oven', 'Mixer']],
    ] as const) {
      const list = async (query: string, as = viewer) => {
        const { status, json } = await raw('GET', `${path}?${query}`, undefined, as)
        const listed = json as { devices: Device[]; count: number; meta: { next_cursor?: string } }
        return status === 200
          ? { names: listed.devices.map(({ name }) => name), count: listed.count, next: listed.meta.next_cursor }
          : status
      }
      expect(await list('')).toEqual({ names: all, count: all.length, next: undefined })
      const [first, cursor] = [all.slice(0, 2), made.find(({ name }) => name === all[1])!.id]
      expect(await list('limit=2')).toEqual({ names: first, count: all.length, next: cursor })
      const rest = { names: all.slice(2), count: all.length, next: undefined }
      expect(await list(`limit=3&cursor=${cursor}`)).toEqual(rest)
      const ovens = { names: ['North oven', 'South oven'], count: 2, next: undefined }
      expect(await list('query=OVEN')).toEqual(ovens)
      expect([await list('', limited), await list('', stranger)]).toEqual([403, 404])
    }
  })
})

test('the devices of a team go with it, and with their number the statistics', async () => {
  const brief = await server.build.team(owner)
  const count = async () => (await admin.client.call('admin.stats', {})).deviceCount
  const before = await count()
  const { id } = await owner.client.call('device.create', { body: { name: 'Last', team: brief.id } })
  expect(await count()).toBe(before + 1)
  await owner.client.call('team.delete', { params: { teamId: brief.id } })
  expect((await raw('GET', `/devices/${id}`)).status).toBe(404)
  expect(await count()).toBe(before)
})

test.each([
  [roles.dashboard, []],
  [roles.viewer, ['listOfTeam', 'get', 'settings']],
  [roles.member, ['listOfTeam', 'get', 'settings', 'saveSettings']],
  [roles.owner, ['listOfTeam', 'get', 'settings', 'saveSettings', 'update', 'generateCredentials', 'create', 'delete']],
] as [TeamRole, string[]][])('a member of role %i may %j', async (role, may) => {
  const [{ client }, { id }] = [await server.build.member(team, role), await add()]
  const of = { params: { deviceId: id } }
  const calls: Record<string, () => Promise<unknown>> = {
    listOfTeam: () => client.call('device.listOfTeam', { params: { teamId: team.id } }),
    get: () => client.call('device.get', of),
    settings: () => client.call('device.settings', of),
    saveSettings: () => client.call('device.saveSettings', { ...of, body: { env: [] } }),
    update: () => client.call('device.update', { ...of, body: { name: 'Mine' } }),
    generateCredentials: () => client.call('device.generateCredentials', of),
    create: () => client.call('device.create', { body: { name: 'New', team: team.id } }),
    delete: () => client.call('device.delete', of),
  }
  const done: string[] = []
  for (const [name, call] of Object.entries(calls)) {
    const status = await call().then(
      () => 200,
      (error: { status: number }) => error.status,
    )
    expect([200, 403]).toContain(status)
    if (status === 200) done.push(name)
  }
  expect(done).toEqual(may)
})

test('with devices switched off there are none', async () => {
  const off = await startServer({
    config: {
      features: switchesWithout('devices'),
    },
  })
  const { owner: person, team: theirs } = await off.build.platform()
  const call = person.client.call('device.listOfTeam', { params: { teamId: theirs.id } })
  await expect(call).rejects.toMatchObject({ status: 404, code: 'not_found' })
  // Behind two switches, of which the other is on.
  const headers = { cookie: person.cookie }
  expect((await send(off.address, 'GET', '/api/v1/devices/x/logs', { headers })).json).toMatchObject({
    code: 'not_found',
    error: 'Devices are switched off on this platform',
  })
  expect((await person.client.call('settings.get', {})).features.devices).toBe(false)
  await off.close()
})
